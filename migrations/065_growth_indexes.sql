-- What is asked every few seconds, or on each step of a checkout, is found by an index however
-- much has been sold.

-- The next due subscription, of all apps and of one.
drop index subscriptions_due;
create index subscriptions_due on subscriptions (next_at, id) where next_at is not null;
drop index subscriptions_app;
create index subscriptions_app_due on subscriptions (app_id, next_at, id);
-- The few apps whose clock is ahead.
create index apps_clock_ahead on apps (id) where clock_ahead > 0;
