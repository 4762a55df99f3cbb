-- Money over time: what is billed, when the next thing is due, and how a license got where it is.

-- One row a bill: the purchase, a renewal, or the difference of an upgrade. It is paid by one charge.
create table invoices (
  id text primary key,
  number bigint generated always as identity unique,
  kind text not null check (kind in ('purchase', 'renewal', 'upgrade')),
  app_id text not null references apps,
  user_id text not null references users,
  license_id text not null references licenses,
  order_id text not null references orders,
  -- Null for what is paid once.
  subscription_id text references subscriptions,
  -- Which period of the subscription is paid, counted from its anchor.
  period_index integer,
  period_start timestamptz not null,
  period_end timestamptz,
  product_id text not null references products,
  price_id text not null references prices,
  tax_quote_id text not null references tax_quotes,
  -- What the plan costs, what an unused part of another is worth, and what is left to pay.
  price_amount bigint not null check (price_amount >= 0),
  credit bigint not null default 0 check (credit >= 0),
  amount bigint not null check (amount = price_amount - credit and amount > 0),
  tax bigint not null check (tax >= 0),
  fee bigint not null check (fee >= 0),
  -- The part of the fee that the hosted sign-in add-on adds.
  add_on_fee bigint not null default 0 check (add_on_fee between 0 and fee),
  commission bigint not null check (commission between 0 and fee),
  brought_by text not null check (brought_by in ('seller', 'service')),
  affiliate_id text references affiliates,
  status text not null check (status in ('open', 'paid', 'void')),
  created_at timestamptz not null,
  paid_at timestamptz,
  check ((paid_at is not null) = (status = 'paid'))
);
create index invoices_license on invoices (license_id, created_at);
create index invoices_app on invoices (app_id, created_at);
create index invoices_user on invoices (user_id, created_at);
-- A period is billed once; what was given up may be billed again.
create unique index invoices_one_period on invoices (subscription_id, period_index)
  where kind = 'renewal' and status <> 'void';

insert into invoices (id, kind, app_id, user_id, license_id, order_id, subscription_id, period_index,
    period_start, period_end, product_id, price_id, tax_quote_id, price_amount, amount, tax, fee,
    commission, brought_by, affiliate_id, status, created_at, paid_at)
  select 'inv_' || substr(o.id, 5), 'purchase', o.app_id, o.user_id, o.license_id, o.id, s.id,
    s.period_index, o.created_at, s.period_end, o.product_id, o.price_id, o.tax_quote_id, o.amount,
    o.amount, o.tax, o.fee, o.commission, o.brought_by, o.affiliate_id, 'paid', o.created_at,
    o.created_at
  from orders o left join subscriptions s on s.license_id = o.license_id
  where o.charged > 0 order by o.created_at, o.id;

alter table subscriptions
  add column app_id text references apps,
  -- The number of the period that ends at the anchor: the first one after it is the next.
  add column anchor_index integer not null default 0,
  add column order_id text references orders,
  -- What the buyer agreed to pay for a period, before tax, whatever the plan costs others by now.
  add column amount bigint,
  -- Where the tax is owed.
  add column state text,
  add column zip text,
  -- When the next thing is due: a renewal, a retry, an end. Null: nothing is.
  add column next_at timestamptz,
  -- Until then one worker has it in hand.
  add column claimed_until timestamptz,
  -- When the renewal first failed; null while nothing is owed.
  add column past_due_since timestamptz,
  -- How many of the scheduled retries were made.
  add column retries integer not null default 0,
  add column last_decline text,
  -- The plan that it moves to at the period's end.
  add column pending_price_id text references prices,
  -- The buyer's own pause begins at the period's end.
  add column pause_at_end boolean not null default false,
  add column ended_at timestamptz;
update subscriptions s set app_id = o.app_id, order_id = o.id, amount = o.amount, state = q.state,
    zip = q.zip, next_at = s.period_end
  from orders o join tax_quotes q on q.id = o.tax_quote_id where o.license_id = s.license_id;
alter table subscriptions
  alter column app_id set not null,
  alter column order_id set not null,
  alter column amount set not null,
  alter column state set not null,
  alter column zip set not null;
drop index subscriptions_due;
create index subscriptions_due on subscriptions (next_at) where next_at is not null;
create index subscriptions_app on subscriptions (app_id);
create index subscriptions_card on subscriptions (card_id);

alter table licenses
  -- The status that a pause interrupted, to be restored, and what the pause is for.
  add column paused_from text,
  add column paused_for text check (paused_for in ('dispute', 'operator', 'buyer')),
  add constraint licenses_pause check ((status = 'paused') = (paused_from is not null)
    and (paused_from is null) = (paused_for is null));

alter table orders add column add_on_fee bigint not null default 0;
alter table apps
  add column allows_pause boolean not null default false,
  -- Test mode: how far this app's own clock is ahead of the service's, in seconds.
  add column clock_ahead bigint not null default 0 check (clock_ahead >= 0);

-- An attempt pays a cart or an invoice.
alter table attempts
  alter column cart_id drop not null,
  alter column order_id drop not null,
  alter column tax_quote_id drop not null,
  add column invoice_id text references invoices,
  -- A try that somebody asked for uses up no scheduled one.
  add column asked_by text not null default 'buyer'
    check (asked_by in ('schedule', 'buyer', 'operator')),
  add constraint attempts_pay check ((cart_id is null) <> (invoice_id is null)),
  add constraint attempts_of_a_cart check (cart_id is null or num_nulls(order_id, tax_quote_id) = 0);
create unique index attempts_one_payment on attempts (invoice_id) where status = 'succeeded';
create index attempts_invoice on attempts (invoice_id, number);

alter table charges add column invoice_id text references invoices;
update charges set invoice_id = 'inv_' || substr(order_id, 5);
alter table charges alter column invoice_id set not null,
  add constraint charges_one_an_invoice unique (invoice_id);

create table refunds (
  -- Also the key under which the processor is asked.
  id text primary key,
  charge_id text not null references charges,
  -- What goes back to the buyer, tax included, and what each took part in it.
  amount bigint not null check (amount > 0),
  tax bigint not null check (tax between 0 and amount),
  fee bigint not null check (fee >= 0),
  add_on_fee bigint not null check (add_on_fee between 0 and fee),
  commission bigint not null check (commission >= 0),
  reason text not null,
  -- The account that asked, `system` for one that a rule made.
  requested_by text not null,
  -- open: the processor's answer is not known yet. failed: the money came back to us.
  status text not null check (status in ('open', 'pending', 'succeeded', 'failed', 'refused')),
  processor_refund_id text unique,
  created_at timestamptz not null,
  settled_at timestamptz
);
create index refunds_charge on refunds (charge_id);
create index refunds_open on refunds (created_at) where status = 'open';

create table disputes (
  id text primary key,
  charge_id text not null references charges,
  processor_dispute_id text not null unique,
  amount bigint not null check (amount > 0),
  -- Of that, the tax and the affiliate's commission.
  tax bigint not null check (tax >= 0),
  commission bigint not null check (commission >= 0),
  reason text not null,
  -- An inquiry moves no money and suspends nothing.
  status text not null check (status in ('inquiry', 'open', 'won', 'lost')),
  evidence jsonb,
  submitted_at timestamptz,
  due_at timestamptz not null,
  opened_at timestamptz not null,
  closed_at timestamptz
);
create index disputes_charge on disputes (charge_id);

-- What the processor told by itself, each once.
create table processor_events (
  id text primary key,
  processor text not null,
  kind text not null,
  payload jsonb not null,
  received_at timestamptz not null,
  handled_at timestamptz
);
create index processor_events_open on processor_events (received_at) where handled_at is null;

-- Where sellers and affiliates are paid: an account at the processor, with a bank behind it.
create table payout_accounts (
  owner text primary key,
  processor text not null,
  processor_account_id text not null,
  bank_name text,
  bank_last4 text,
  is_ready boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table payouts (
  -- Also the key under which the processor is asked.
  id text primary key,
  number bigint generated always as identity unique,
  -- A seller or an affiliate, and the account of the ledger that it is paid from.
  owner text not null,
  account text not null check (account in ('seller_payable', 'affiliate_payable')),
  amount bigint not null check (amount > 0),
  cause text not null check (cause in ('weekly', 'request')),
  status text not null check (status in ('open', 'pending', 'paid', 'failed')),
  processor_payout_id text unique,
  failure text,
  created_at timestamptz not null,
  settled_at timestamptz
);
create index payouts_owner on payouts (owner, created_at);
create unique index payouts_one_open on payouts (owner, account) where status = 'open';

-- The ledger lines that a payout pays out: its statement.
create table payout_lines (
  transaction_id text not null,
  position integer not null,
  payout_id text not null references payouts,
  primary key (transaction_id, position),
  foreign key (transaction_id, position) references ledger_entries (transaction_id, position)
);
create index payout_lines_payout on payout_lines (payout_id);

create table remittances (
  id text primary key,
  state text not null,
  -- The month it is owed for, `2026-11`.
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  -- Tax of the month's sales less that of its refunds, and what an earlier month left over.
  collected bigint not null,
  carried bigint not null check (carried <= 0),
  amount bigint not null check (amount >= 0),
  filing_reference text not null,
  filed_by text not null references users,
  filed_at timestamptz not null,
  unique (state, month)
);

-- Long work, and how far it has come.
create table tasks (
  id text primary key,
  kind text not null,
  -- Who may look: an account.
  user_id text not null references users,
  app_id text references apps,
  request jsonb not null,
  done integer not null default 0,
  total integer not null default 0,
  -- What it is at, in words.
  note text not null default '',
  status text not null check (status in ('waiting', 'running', 'done', 'failed')),
  result jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index tasks_user on tasks (user_id, created_at);

create index ledger_transactions_at on ledger_transactions (at);
