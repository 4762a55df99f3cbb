-- Affiliates, their codes, and the clicks on their links.

create table affiliates (
  id text primary key,
  user_id text not null unique references users,
  code text not null unique check (code ~ '^[a-z0-9-]{4,32}$'),
  created_at timestamptz not null
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
