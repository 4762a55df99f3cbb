-- What is sold: products (an app's plans, "versions" to the agent endpoint) and their prices.

create table products (
  id text primary key,
  -- An older id of the product. Accepted from callers, never returned to them.
  legacy_id uuid unique,
  app_id text not null references apps,
  name text not null,
  description text not null default '',
  is_free boolean not null default false,
  position integer not null,
  trial_days integer not null default 0 check (trial_days between 0 and 90),
  -- The plan that its seller recommends on the product page.
  is_highlighted boolean not null default false,
  created_at timestamptz not null,
  deleted_at timestamptz,
  check (not is_free or trial_days = 0)
);
create index products_app on products (app_id);
create unique index products_one_free on products (app_id) where is_free and deleted_at is null;
create unique index products_one_highlighted on products (app_id) where is_highlighted;
create trigger products_announce after insert or update on products
  for each row execute function announce_app();

create table prices (
  id text primary key,
  product_id text not null references products,
  amount bigint not null check (amount between 100 and 9999999),
  currency text not null default 'usd' check (currency = 'usd'),
  -- Null: paid once.
  frequency text check (frequency in ('day', 'week', 'month', 'year')),
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index prices_one_per_frequency on prices (product_id, coalesce(frequency, 'once'))
  where deleted_at is null;
-- All prices that a product ever had are read before it is changed.
create index prices_product on prices (product_id);
create trigger prices_announce after insert or update on prices
  for each row execute function announce_app();
