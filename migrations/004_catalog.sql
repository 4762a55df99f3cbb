-- What is for sale: products (an app's plans, "versions" to the agent endpoint) and their prices.

create table products (
  id text primary key,
  app_id text not null references apps,
  name text not null,
  description text not null default '',
  is_free boolean not null default false,
  position integer not null,
  trial_days integer not null default 0 check (trial_days between 0 and 90),
  created_at timestamptz not null,
  deleted_at timestamptz,
  check (not is_free or trial_days = 0)
);
create index products_app on products (app_id);
create unique index products_one_free on products (app_id) where is_free and deleted_at is null;

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

-- Whatever changes what the public sees of an app says so, so that no cache outlives it.
create function announce_app() returns trigger language plpgsql as $$
declare
  changed text;
begin
  changed := case tg_table_name
    when 'apps' then to_jsonb(new)->>'id'
    when 'products' then to_jsonb(new)->>'app_id'
    else (select app_id from products where id = to_jsonb(new)->>'product_id')
  end;
  perform pg_notify('app_changed', changed);
  return null;
end $$;
create trigger apps_announce after insert or update on apps
  for each row execute function announce_app();
create trigger products_announce after insert or update on products
  for each row execute function announce_app();
create trigger prices_announce after insert or update on prices
  for each row execute function announce_app();
