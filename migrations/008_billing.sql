-- The trade itself: carts on their way through the checkout, orders, and subscriptions.

create table carts (
  id text primary key,
  app_id text not null references apps,
  price_id text not null references prices,
  -- The browser that opened the cart; nobody else may continue it.
  browser_hash bytea not null,
  -- Where the buyer goes afterwards; null: the app's Login URL.
  next_url text,
  email text,
  email_normalised text,
  country text,
  zip text,
  state text,
  -- Set when the buyer signed in, or held a session for this purchase.
  user_id text references users,
  tax_quote_id text references tax_quotes,
  card_entry_id text,
  -- The processor's handle and what may be shown of the card; never a number.
  card jsonb,
  affiliate_id text references affiliates,
  brought_by text not null check (brought_by in ('seller', 'service')),
  order_id text,
  completed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index carts_browser on carts (browser_hash);

create table orders (
  id text primary key,
  cart_id text not null unique references carts,
  app_id text not null references apps,
  user_id text not null references users,
  product_id text not null references products,
  price_id text not null references prices,
  license_id text not null references licenses,
  tax_quote_id text not null references tax_quotes,
  -- What the price is before tax; nothing of it is due yet while a trial runs.
  amount bigint not null,
  tax bigint not null,
  charged bigint not null,
  fee bigint not null,
  commission bigint not null,
  brought_by text not null,
  affiliate_id text references affiliates,
  -- True when this purchase made the account.
  made_account boolean not null,
  created_at timestamptz not null
);
create index orders_user on orders (user_id);
create index orders_app on orders (app_id, created_at);
create index orders_license on orders (license_id);

create table subscriptions (
  id text primary key,
  license_id text not null unique references licenses,
  price_id text not null references prices,
  card_id text not null,
  -- Periods are counted from here, so that the 31st stays the 31st.
  anchor timestamptz not null,
  period_index integer not null,
  period_end timestamptz not null,
  auto_renew boolean not null default true,
  created_at timestamptz not null
);
create index subscriptions_due on subscriptions (period_end);
