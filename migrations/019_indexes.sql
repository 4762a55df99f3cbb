-- Oldest release: 0.1.0
-- What was made or settled since a time: for checks of the books, the review of a restored database
-- and the sandbox's listings.
create index concurrently if not exists charges_created on charges (created_at);
create index concurrently if not exists refunds_created on refunds (created_at);
create index concurrently if not exists refunds_settled on refunds ((coalesce(settled_at, created_at)));
create index concurrently if not exists disputes_opened on disputes (opened_at);
create index concurrently if not exists disputes_closed on disputes ((coalesce(closed_at, opened_at)));
create index concurrently if not exists payouts_created on payouts (created_at);
create index concurrently if not exists payouts_settled on payouts ((coalesce(settled_at, created_at)));
create index concurrently if not exists sandbox_charges_created on sandbox.charges (created_at);
-- What an account left, for its deletion and the export of its data.
create index concurrently if not exists attempts_email on attempts (email_normalized);
create index concurrently if not exists carts_user on carts (user_id) where user_id is not null;
create index concurrently if not exists carts_email on carts (email_normalized)
  where email_normalized is not null;
-- Every license of an app, previews as well.
create index concurrently if not exists licenses_app on licenses (app_id);
