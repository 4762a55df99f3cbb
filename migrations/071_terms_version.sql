-- Which version of the seller terms was accepted. A new one is accepted anew.
alter table sellers add column terms_version text;
-- The only version that was published before this column.
update sellers set terms_version = '1.0' where terms_accepted_at is not null;
