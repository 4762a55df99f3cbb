-- Money asked for and taken: attempts, charges, and the cards that paid.

create table attempts (
  id text primary key,
  -- The order in which they were made; two may share a moment.
  number bigint generated always as identity,
  cart_id text not null references carts,
  app_id text not null references apps,
  email_normalised text not null,
  -- Allotted before the charge, so that a reference to the order can be given out meanwhile.
  order_id text not null unique,
  tax_quote_id text not null references tax_quotes,
  amount bigint not null,
  -- The days of the trial that was promised; zero: the whole is charged.
  trial_days integer not null check ((trial_days > 0) = (amount = 0)),
  card jsonb not null,
  status text not null
    check (status in ('open', 'action_required', 'succeeded', 'declined', 'closed')),
  action_url text,
  decline_code text,
  charge_id text,
  created_at timestamptz not null,
  settled_at timestamptz
);
-- One buyer pays for one app once at a time, whatever tabs or machines are involved.
create unique index attempts_one_open on attempts (app_id, email_normalised)
  where status in ('open', 'action_required');
create unique index attempts_one_success on attempts (cart_id) where status = 'succeeded';
create index attempts_cart on attempts (cart_id, number);
create index attempts_unsettled on attempts (created_at) where status in ('open', 'action_required');

create table cards (
  id text primary key,
  user_id text not null references users,
  token text not null,
  brand text not null,
  last4 text not null,
  exp_month integer not null,
  exp_year integer not null,
  billing_country text not null,
  billing_zip text not null,
  issuer_country text not null,
  fingerprint text not null,
  created_at timestamptz not null
);
create index cards_user on cards (user_id);
create index cards_fingerprint on cards (fingerprint);
alter table subscriptions add foreign key (card_id) references cards;

create table charges (
  id text primary key,
  attempt_id text not null unique references attempts,
  order_id text not null references orders,
  processor text not null,
  processor_charge_id text not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null,
  unique (processor, processor_charge_id)
);
create index charges_order on charges (order_id);
