-- Affiliates, their codes, and the clicks on their links.

create table affiliates (
  id text primary key,
  user_id text not null unique references users,
  code text not null unique check (code ~ '^[a-z0-9-]{4,32}$'),
  created_at timestamptz not null,
  -- When the account was deleted: a commission could be paid to no one after that.
  retired_at timestamptz
);

-- How often an affiliate's links were followed by day (UTC, in the app's own time). It contains
-- nothing about the visitors.
create table affiliate_clicks (
  affiliate_id text not null references affiliates,
  -- Null for a link to the marketplace.
  app_id text references apps,
  day date not null,
  count bigint not null,
  unique nulls not distinct (affiliate_id, app_id, day)
);
create index affiliate_clicks_app on affiliate_clicks (app_id, day);

-- What an affiliate brought to an app by day (UTC, in the app's own time), and the changes that are
-- not added yet. A sale whose invoice has no affiliate changes nothing.
create table referred_days (
  affiliate_id text not null,
  app_id text not null,
  day date not null,
  purchases bigint not null,
  -- Cents: what the seller earned, and what the affiliate did.
  net bigint not null,
  commission bigint not null,
  -- With the figures: an affiliate's sums are read from the indexes alone.
  primary key (affiliate_id, app_id, day) include (purchases, net, commission)
);
create index referred_days_affiliate on referred_days (affiliate_id, day)
  include (net, commission);
create index referred_days_app on referred_days (app_id, day);
create table referred_changes (
  id bigint generated always as identity primary key,
  affiliate_id text not null,
  app_id text not null,
  day date not null,
  purchases bigint not null,
  net bigint not null,
  commission bigint not null
);
