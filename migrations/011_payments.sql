-- Money requested and received: attempts, cards, charges, refunds, disputes, and the processor's
-- events and balance.

-- One row per attempt to pay an invoice. Its id is the idempotency key of the request.
create table attempts (
  id text primary key,
  -- The order in which they were made; two may have the same time.
  number bigint generated always as identity,
  invoice_id text not null references invoices,
  app_id text not null references apps,
  email_normalized text not null,
  -- Tax included; zero only checks the card.
  amount bigint not null check (amount >= 0),
  card jsonb not null,
  -- A retry that a person requested does not count as a scheduled one.
  requested_by text not null check (requested_by in ('schedule', 'buyer', 'staff')),
  -- refused: the processor did not accept the request, for the reason in `refusal`.
  status text not null check (status in
    ('open', 'action_required', 'succeeded', 'declined', 'closed', 'refused')),
  action_url text,
  decline_code text
    check (decline_code in ('generic_decline', 'insufficient_funds', 'lost_card', 'stolen_card',
      'expired_card', 'incorrect_cvc', 'processing_error', 'fraudulent',
      'authentication_required', 'authentication_failed')),
  refusal text,
  charge_id text,
  created_at timestamptz not null,
  settled_at timestamptz
);
-- A buyer has one open attempt for an app, in any number of tabs and processes.
create unique index attempts_one_open on attempts (app_id, email_normalized)
  where status in ('open', 'action_required');
create unique index attempts_one_payment on attempts (invoice_id) where status = 'succeeded';
create index attempts_invoice on attempts (invoice_id, number);
create index attempts_unsettled on attempts (created_at) where status in ('open', 'action_required');
create index attempts_failed on attempts (created_at)
  where status in ('declined', 'closed', 'refused');

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
  invoice_id text not null constraint charges_one_an_invoice unique references invoices,
  processor text not null,
  processor_charge_id text not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null,
  unique (processor, processor_charge_id)
);

create table refunds (
  -- Also the idempotency key of the request to the processor.
  id text primary key,
  charge_id text not null references charges,
  -- What is returned to the buyer, tax included, and the share of each in it.
  amount bigint not null check (amount > 0),
  tax bigint not null check (tax between 0 and amount),
  fee bigint not null check (fee >= 0),
  add_on_fee bigint not null check (add_on_fee between 0 and fee),
  commission bigint not null check (commission >= 0),
  reason text not null,
  -- The account that requested it; `system`: a rule.
  requested_by text not null,
  -- Staff requested it, so the members of the seller are notified.
  is_by_staff boolean not null default false,
  -- open: the processor's answer is not known yet. failed: the money was returned to the service.
  status text not null check (status in ('open', 'pending', 'succeeded', 'failed', 'refused')),
  -- The processor made it, so the sale is refunded: where it failed, the buyer is owed the money.
  is_made boolean not null
    generated always as (status in ('pending', 'succeeded', 'failed')) stored,
  -- Why the processor refused it, in its words.
  refusal text,
  processor_refund_id text unique,
  -- The refund of the upgrade that consumed this charge as credit: it is answered first, and where
  -- it is refused, so is this one.
  upgrade_refund_id text references refunds,
  created_at timestamptz not null,
  settled_at timestamptz
);
create index refunds_charge on refunds (charge_id);
create index refunds_open on refunds (created_at) where status = 'open';
create index refunds_refused on refunds (created_at) where status = 'refused';

-- What a refund in the processor's dashboard gave a buyer who was owed it already, because a refund
-- of the charge was returned. It takes nothing from the sale again.
create table reissued_refunds (
  id text primary key,
  charge_id text not null references charges,
  -- A refund for more than that is in `refunds` too, with the rest.
  processor_refund_id text not null unique,
  amount bigint not null check (amount > 0),
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  created_at timestamptz not null
);
create index reissued_refunds_charge on reissued_refunds (charge_id);

-- The invoices of an app that had a refund requested, by their number. What was refunded is read
-- from the refunds; this table only lists where to look.
create table refunded_invoices (
  app_id text not null,
  number bigint not null,
  invoice_id text not null,
  charge_id text not null,
  primary key (app_id, number)
);
create view refunds_of_invoices as
  select i.app_id, i.number, i.id as invoice_id, c.id as charge_id, r.id as refund_id
  from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id;

create function list_refunded_invoices() returns trigger language plpgsql as $$
begin
  insert into refunded_invoices (app_id, number, invoice_id, charge_id)
    select app_id, number, invoice_id, charge_id from refunds_of_invoices
    where refund_id in (select id from inserted)
    on conflict do nothing;
  return null;
end $$;
create trigger refunds_invoice after insert on refunds
  referencing new table as inserted for each statement execute function list_refunded_invoices();

create table disputes (
  id text primary key,
  charge_id text not null references charges,
  processor_dispute_id text not null unique,
  amount bigint not null check (amount > 0),
  -- Of that, the tax, the affiliate's commission, the fee and its add-on part. The service keeps
  -- the last two.
  tax bigint not null check (tax >= 0),
  commission bigint not null check (commission >= 0),
  fee bigint not null default 0 check (fee >= 0),
  add_on_fee bigint not null default 0 check (add_on_fee between 0 and fee),
  -- Of the amount, what the buyer was owed already because a refund had failed.
  owed bigint not null default 0 check (owed between 0 and amount),
  -- The tax and what was owed when it opened, where an appeal took other parts: refunds between the
  -- two left less of the charge.
  opened_tax bigint check (opened_tax >= 0),
  opened_owed bigint check (opened_owed between 0 and amount),
  reason text not null
    check (reason in ('fraudulent', 'product_not_received', 'product_unacceptable', 'duplicate',
      'subscription_canceled', 'credit_not_processed', 'unrecognized', 'general')),
  -- An inquiry transfers no money and suspends nothing.
  status text not null check (status in ('inquiry', 'inquiry_closed', 'open', 'won', 'lost')),
  -- A closed dispute may be decided again, the other way: how the appeal ended.
  appeal text check (appeal in ('won', 'lost')),
  evidence jsonb,
  submitted_at timestamptz,
  due_at timestamptz not null,
  opened_at timestamptz not null,
  -- When the outcome was recorded.
  closed_at timestamptz,
  -- When the latest change happened, as the processor reported it: what it reports of earlier ones
  -- changes nothing.
  reported_at timestamptz not null
);
create index disputes_charge on disputes (charge_id);
create index disputes_unclosed on disputes (due_at) where status in ('inquiry', 'open');
create index disputes_status on disputes (status, charge_id);

-- One row per buyer of an app, for lists that filter and sort by what several tables know. It is
-- derived: deferred triggers write it when a transaction commits, so that its rows are locked last
-- (decision 92).
create table customers (
  app_id text not null,
  user_id text not null,
  -- The latest license, with its status and plan. Its app, buyer and product exist with it.
  license_id text not null references licenses,
  status text not null check (status in ('active', 'trialing', 'one_time_active', 'past_due',
    'unpaid', 'paused', 'canceled')),
  product_id text not null,
  first_at timestamptz not null,
  -- What was charged, tax included, minus refunds and lost disputes.
  paid bigint not null,
  primary key (app_id, user_id)
);
create index customers_newest on customers (app_id, first_at, user_id)
  include (paid, status, product_id);
create index customers_paid on customers (app_id, paid, user_id)
  include (first_at, status, product_id);
create index customers_status on customers (app_id, status, first_at, user_id) include (paid);
create index customers_product on customers (app_id, product_id, first_at, user_id)
  include (paid, status);

create function customer_of_license() returns trigger language plpgsql as $$
begin
  if new.status = 'preview' then
    return null;
  elsif tg_op = 'UPDATE' then
    update customers set status = new.status, product_id = new.product_id
      where app_id = new.app_id and user_id = new.user_id and license_id = new.id
        and (status, product_id) is distinct from (new.status, new.product_id);
  else
    insert into customers (app_id, user_id, license_id, status, product_id, first_at, paid)
      values (new.app_id, new.user_id, new.id, new.status, new.product_id, new.created_at, 0)
      -- A charge of the same transaction may have added the row, with this license.
      on conflict (app_id, user_id) do update set license_id = excluded.license_id,
        status = excluded.status, product_id = excluded.product_id
        where (customers.license_id, customers.status, customers.product_id)
          is distinct from (excluded.license_id, excluded.status, excluded.product_id);
  end if;
  return null;
end $$;
create constraint trigger licenses_customer after insert or update of status, product_id
  on licenses deferrable initially deferred for each row execute function customer_of_license();

-- In PL/pgSQL, which plans a statement once per connection: a function in SQL plans it each time.
create function add_to_customer(paid_charge text, change bigint) returns void language plpgsql as $$
begin
  if change <> 0 then
    insert into customers (app_id, user_id, license_id, status, product_id, first_at, paid)
      select l.app_id, l.user_id, l.id, l.status, l.product_id, l.created_at, change
      from charges c join invoices i on i.id = c.invoice_id join licenses l on l.id = i.license_id
      where c.id = paid_charge
      on conflict (app_id, user_id) do update set paid = customers.paid + excluded.paid;
  end if;
end $$;

-- What a row adds to `paid`.
create function paid_of(charge charges) returns bigint immutable language sql as $$
  select charge.amount;
$$;
create function paid_of(refund refunds) returns bigint immutable language sql as $$
  select case when refund.is_made then -refund.amount else 0 end;
$$;
create function paid_of(dispute disputes) returns bigint immutable language sql as $$
  select case when dispute.status = 'lost' then dispute.owed - dispute.amount else 0 end;
$$;
create function customer_of_charge() returns trigger language plpgsql as $$
begin
  perform add_to_customer(new.id, paid_of(new));
  return null;
end $$;
create function customer_of_return() returns trigger language plpgsql as $$
begin
  perform add_to_customer(new.charge_id,
    paid_of(new) - case when tg_op = 'UPDATE' then paid_of(old) else 0 end);
  return null;
end $$;
create constraint trigger charges_customer after insert on charges
  deferrable initially deferred for each row execute function customer_of_charge();
create constraint trigger refunds_customer after insert or update of status on refunds
  deferrable initially deferred for each row execute function customer_of_return();
create constraint trigger disputes_customer after insert or update of status, amount, owed
  on disputes deferrable initially deferred for each row execute function customer_of_return();

-- The processor's events, each handled once.
create table processor_events (
  id text primary key,
  processor text not null,
  kind text not null,
  payload jsonb not null,
  received_at timestamptz not null,
  -- How often handling it failed, and when it is retried.
  failures integer not null default 0,
  retry_at timestamptz,
  handled_at timestamptz
);
create index processor_events_open on processor_events ((coalesce(retry_at, received_at)))
  where handled_at is null;
create index processor_events_handled on processor_events (handled_at)
  where handled_at is not null;
-- All events of one object are read together, because they may arrive in any order.
create index processor_events_object on processor_events ((payload ->> 'object_id'));
-- A refund's outcome may arrive before the refund itself is on the books.
create index processor_events_refund on processor_events
  ((coalesce(payload ->> 'refund_id', payload -> 'content' ->> 'refund_id')))
  where coalesce(payload ->> 'refund_id', payload -> 'content' ->> 'refund_id') is not null;

-- Every transaction of the balance, as the processor lists it; fetched once a day.
create table balance_transactions (
  processor text not null,
  id text not null,
  at timestamptz not null,
  kind text not null check (kind in ('charge', 'refund', 'refund_failed', 'dispute', 'dispute_won',
    'payout', 'payout_failed', 'bank', 'fee', 'other')),
  -- The processor's id of the charge, refund or dispute; of a payout its idempotency key.
  subject text,
  -- What was received before fees, and what the processor kept for itself.
  amount bigint not null,
  fee bigint not null,
  fee_kind text not null check (fee_kind in ('processing', 'dispute', 'payout')),
  description text not null,
  primary key (processor, id)
);
create index balance_transactions_at on balance_transactions (processor, at);
create index balance_transactions_other on balance_transactions (processor, at, id)
  where kind = 'other';

-- Days that are over and fetched, with the balance at the processor at their end.
create table closed_days (
  processor text not null,
  day date not null,
  balance bigint not null,
  closed_at timestamptz not null,
  primary key (processor, day)
);
