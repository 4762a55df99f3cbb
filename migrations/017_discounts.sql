-- Discount codes of apps, and the purchases that used them.

create table discount_codes (
  id text primary key,
  app_id text not null references apps,
  -- As buyers may spell it in any case; stored in upper case, and never changed.
  code text not null constraint discount_codes_spelling check (code ~ '^[A-Z0-9-]{3,32}$'),
  -- What it takes off a price: a share in percent, or an amount in cents.
  percent integer check (percent between 1 and 100),
  amount bigint check (amount > 0),
  -- How many periods of a subscription it applies to; null: all of them.
  periods integer check (periods > 0),
  -- From when and until when it can be used in a purchase, in the app's time.
  valid_from timestamptz,
  valid_until timestamptz,
  max_uses integer check (max_uses > 0),
  -- A buyer may use it in one purchase only.
  is_once_per_buyer boolean not null,
  -- Only for buyers who have bought nothing of the app yet.
  is_first_purchase boolean not null,
  -- The products that it applies to; empty: all of the app's.
  product_ids text[] not null,
  -- Off: no purchase can use it. Subscriptions that have it keep it.
  is_active boolean not null default true,
  created_at timestamptz not null,
  constraint discount_codes_off check (num_nonnulls(percent, amount) = 1),
  constraint discount_codes_dates check (valid_from < valid_until),
  unique (app_id, code)
);

-- One row per purchase that uses a code: it waits for its charge, or is paid. A purchase that is
-- not paid returns its use.
create table discount_uses (
  invoice_id text primary key references invoices,
  discount_id text not null references discount_codes,
  used_at timestamptz not null
);
create index discount_uses_code on discount_uses (discount_id);

alter table carts add foreign key (discount_id) references discount_codes;

alter table subscriptions add foreign key (discount_id) references discount_codes;
