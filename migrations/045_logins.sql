-- Each login of an app is a grant of its own, and a family of refresh tokens.

alter table oidc_records
  -- The refresh token that this one was given for; it may be swept before this one is.
  add column parent_id bytea,
  -- The `sid` of the ID tokens of a login, by which an app names it when it signs somebody out.
  add column sid text;
create index oidc_records_parent on oidc_records (parent_id) where parent_id is not null;
create index oidc_records_sid on oidc_records (sid) where sid is not null;

-- A buyer agreed by buying; who disconnects an app takes that back as well, until the next purchase.
alter table consents add column withdrawn_at timestamptz;
