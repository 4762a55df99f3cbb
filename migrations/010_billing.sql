-- Carts in the checkout, orders, subscriptions and invoices.

create table carts (
  id text primary key,
  app_id text not null references apps,
  price_id text not null references prices,
  -- The browser that opened the cart: no other may continue it.
  browser_hash bytea not null,
  -- Where the buyer continues afterwards; null: the app's login URL.
  next_url text,
  email text,
  email_normalized text,
  country text,
  zip text,
  state text,
  -- Set when the buyer signed in, or has a session for this purchase.
  user_id text references users,
  tax_quote_id text references tax_quotes,
  -- The imported license that the buyer continues with a card; null: the purchase is a new one.
  continues_license_id text references licenses,
  -- A trial that a scenario of test mode sells without the plan having it.
  trial_days integer check (trial_days between 0 and 90),
  -- The discount code that was entered, whether or not it applies.
  discount_code text,
  -- The discount that applies, and what it takes off the quoted price. The foreign key follows where
  -- discount codes are created.
  discount_id text,
  discount_amount bigint not null default 0 check (discount_amount >= 0),
  card_entry_id text,
  -- The processor's card page, opened again instead of a new one.
  card_entry_url text,
  -- The page before it, in another language; a card that was entered there counts too.
  earlier_card_entry_id text,
  -- The processor's token and what may be shown of the card; never a number.
  card jsonb,
  affiliate_id text references affiliates,
  brought_by text not null check (brought_by in ('seller', 'service')),
  -- Of the pages that the buyer saw last.
  language text not null default 'en',
  order_id text,
  completed_at timestamptz,
  -- When the new account signed out. Until then the success page signs it in again, because the
  -- first response may be lost.
  sign_in_ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint carts_discount check ((discount_id is null) = (discount_amount = 0))
);
create index carts_browser on carts (browser_hash);
create index carts_open on carts (updated_at) where order_id is null and completed_at is null;
create index carts_quote on carts (tax_quote_id);
-- Imported licenses that were continued.
create index carts_continued on carts (app_id) include (continues_license_id)
  where continues_license_id is not null and order_id is not null;

-- One row per purchase that was paid, or whose trial began. What it came to is on its invoice.
create table orders (
  id text primary key,
  -- The foreign key follows where invoices are created.
  invoice_id text not null unique,
  app_id text not null references apps,
  user_id text not null references users,
  license_id text not null references licenses,
  -- True when this purchase created the account.
  made_account boolean not null,
  created_at timestamptz not null
);
-- A buyer's purchases, the latest first.
create index orders_user on orders (user_id, created_at desc, id desc);
create index orders_app on orders (app_id, created_at);
create index orders_license on orders (license_id);

create table subscriptions (
  id text primary key,
  app_id text not null references apps,
  license_id text not null unique references licenses,
  order_id text not null references orders,
  price_id text not null references prices,
  -- The foreign key follows where cards are created.
  card_id text not null,
  -- What the buyer agreed to pay for a period, before tax, whatever the plan costs others by now.
  amount bigint not null,
  -- Where the tax is owed.
  state text not null,
  zip text not null,
  -- Periods are counted from here, so that the 31st stays the 31st.
  anchor timestamptz not null,
  -- The number of the period that ends at the anchor: the first one after it is the next.
  anchor_index integer not null default 0,
  period_index integer not null,
  period_end timestamptz not null,
  auto_renew boolean not null default true,
  -- When the next step is due: a renewal, a retry, an end. Null: none is.
  next_at timestamptz,
  -- Until then one worker has claimed it.
  claimed_until timestamptz,
  -- When the renewal first failed; null while nothing is owed.
  past_due_since timestamptz,
  -- How many of the scheduled retries were made.
  retries integer not null default 0,
  last_decline text
    check (last_decline in ('generic_decline', 'insufficient_funds', 'lost_card', 'stolen_card',
      'expired_card', 'incorrect_cvc', 'processing_error', 'fraudulent',
      'authentication_required', 'authentication_failed')),
  -- The plan that it changes to at the period's end, and what the buyer agreed to pay for a period
  -- of it, whatever it costs by then.
  pending_price_id text references prices,
  pending_amount bigint check (pending_amount > 0),
  -- The discount of the purchase, while it applies to a period to come, and to how many; null: to all.
  -- The foreign key follows where discount codes are created.
  discount_id text,
  discount_periods_left integer check (discount_periods_left > 0),
  -- The buyer's own pause begins at the period's end.
  pause_at_end boolean not null default false,
  ended_at timestamptz,
  created_at timestamptz not null,
  constraint subscriptions_agreed_change
    check ((pending_amount is null) = (pending_price_id is null)),
  constraint subscriptions_discount
    check (discount_periods_left is null or discount_id is not null)
);
-- The next due subscription, of all apps and of one.
create index subscriptions_due on subscriptions (next_at, id) where next_at is not null;
create index subscriptions_app_due on subscriptions (app_id, next_at, id);
create index subscriptions_card on subscriptions (card_id);
-- The subscriptions that change to a price.
create index subscriptions_pending on subscriptions (pending_price_id)
  where pending_price_id is not null;
-- An app's renewals that failed and are retried.
create index subscriptions_past_due on subscriptions (app_id, past_due_since)
  where past_due_since is not null and ended_at is null;

-- One row per invoice: a purchase, a renewal, or the difference of an upgrade. One charge pays it.
create sequence invoice_numbers;
create table invoices (
  id text primary key,
  -- Null until a purchase is paid. A trial's card check never gets one: nothing was bought yet.
  number bigint unique,
  kind text not null check (kind in ('purchase', 'renewal', 'upgrade')),
  -- The cart of a purchase.
  cart_id text references carts,
  app_id text not null references apps,
  -- Who sold it: the app's seller when it was written, also after the app is transferred.
  seller_id text not null references sellers,
  -- The names under which it was sold: a receipt keeps them when they change.
  app_name text not null,
  product_name text not null,
  seller_name text not null,
  -- Null until a purchase is paid.
  user_id text references users,
  -- Of its receipt: the buyer's email when it was paid, until the account is deleted.
  buyer_email text,
  license_id text references licenses,
  -- Chosen before the charge, so that a reference to the order can be returned meanwhile: the order
  -- itself is created when its purchase is paid.
  order_id text not null,
  -- Null for what is paid once.
  subscription_id text references subscriptions,
  -- The days of the trial that was promised; zero: the whole amount is charged.
  trial_days integer not null default 0 check (trial_days between 0 and 90),
  -- Which period of the subscription is paid, counted from its anchor.
  period_index integer,
  period_start timestamptz not null,
  period_end timestamptz,
  product_id text not null references products,
  price_id text not null references prices,
  tax_quote_id text not null references tax_quotes,
  -- What its lines add up to.
  amount bigint not null check (amount >= 0 and (amount = 0 or trial_days = 0)),
  tax bigint not null check (tax >= 0),
  fee bigint not null check (fee >= 0),
  -- The fixed part of the fee, charged once a period: an upgrade within a paid one has none.
  fixed_fee bigint not null constraint invoices_fixed_fee check (fixed_fee between 0 and fee),
  -- The part of the fee that the hosted sign-in add-on adds.
  add_on_fee bigint not null default 0 check (add_on_fee between 0 and fee),
  commission bigint not null check (commission between 0 and fee),
  brought_by text not null check (brought_by in ('seller', 'service')),
  affiliate_id text references affiliates,
  -- draft: a purchase that waits for its charge. void: it will not be paid.
  status text not null check (status in ('draft', 'open', 'paid', 'void')),
  -- Of its PDF: the buyer's language when it was written.
  language text not null default 'en',
  -- Below the processor's smallest charge: the service covers it, and nothing is charged.
  is_waived boolean not null default false,
  -- When the buyer agreed to it, in the app's time: the tax is that of this day.
  created_at timestamptz not null,
  paid_at timestamptz,
  check ((paid_at is not null) = (status = 'paid')),
  constraint invoices_waived check (not is_waived or status = 'paid'),
  constraint invoices_cart check ((kind = 'purchase') = (cart_id is not null)),
  constraint invoices_holder check (num_nulls(user_id, license_id) = 0
    or (kind = 'purchase' and status in ('draft', 'void'))),
  constraint invoices_numbered check ((number is null)
    = (kind = 'purchase' and (status in ('draft', 'void') or trial_days > 0)))
);
-- A transfer of the app moves no money: an invoice keeps the seller who wrote it.
create function set_invoice_seller() returns trigger language plpgsql as $$
begin
  select a.seller_id, s.legal_name, a.name, p.name
    into new.seller_id, new.seller_name, new.app_name, new.product_name
    from apps a join sellers s on s.id = a.seller_id, products p
    where a.id = new.app_id and p.id = new.product_id;
  return new;
end $$;
create trigger invoices_seller before insert on invoices
  for each row execute function set_invoice_seller();
create trigger invoices_seller_stays before update of seller_id on invoices
  for each row when (old.seller_id is distinct from new.seller_id)
  execute function refuse_change();
create index invoices_cart on invoices (cart_id) where cart_id is not null;
-- A cart is paid once, and an order has one invoice of its own.
create unique index invoices_one_purchase on invoices (cart_id) where status = 'paid';
create unique index invoices_order on invoices (order_id) where kind = 'purchase';
create index invoices_license on invoices (license_id, created_at);
create index invoices_app on invoices (app_id, created_at);
create index invoices_user on invoices (user_id, created_at);
create index invoices_affiliate on invoices (affiliate_id) where affiliate_id is not null;
create index invoices_referred on invoices (app_id) where affiliate_id is not null;
create index invoices_quote on invoices (tax_quote_id);
-- A period is invoiced once; a void invoice may be replaced.
create unique index invoices_one_period on invoices (subscription_id, period_index)
  where kind = 'renewal' and status <> 'void';
-- An app's invoices are read from the latest down, a page at a time.
create index invoices_app_number on invoices (app_id, number);
-- Of one kind, of which there may be few.
create index invoices_app_kind on invoices (app_id, kind, number) where number is not null;
-- By the day of the payment, for lists of some days.
create index invoices_app_date on invoices (app_id, (coalesce(paid_at, created_at)))
  where number is not null;
-- The few invoices that are not paid, for the filter of the sales page.
create index invoices_app_unpaid on invoices (app_id, status, number)
  where status <> 'paid' and number is not null;

-- The purchases that were never paid, which go after a while.
create index invoices_abandoned on invoices (created_at)
  where kind = 'purchase' and status = 'void';

-- What an invoice is for, in cents before tax: a discount, a credit, a free trial or what was paid at
-- another service is negative.
create table invoice_lines (
  invoice_id text not null references invoices on delete cascade,
  position integer not null check (position > 0),
  kind text not null check (kind in ('price', 'discount', 'credit', 'trial', 'prepaid')),
  amount bigint not null check (amount <> 0),
  -- The discount code as the buyer was shown it.
  code text check ((code is not null) = (kind = 'discount')),
  primary key (invoice_id, position)
);

alter table orders add foreign key (invoice_id) references invoices;

alter table tax_records add foreign key (invoice_id) references invoices;
