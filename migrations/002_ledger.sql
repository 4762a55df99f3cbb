-- Double entry, append only. A debit is positive, a credit negative; each transaction sums to zero.

create table ledger_transactions (
  id text primary key,
  at timestamptz not null,
  -- The event, and the id of the object that it happened to. An event is posted once.
  event text not null
    check (event in ('sale', 'refund', 'refund_failed', 'refund_reissued',
      'refund_reissue_failed', 'buyer_paid', 'excess_repaid', 'dispute_opened', 'dispute_won',
      'dispute_lost', 'appeal_opened', 'appeal_won', 'payout', 'payout_failed', 'remittance',
      'processor_day', 'suspense_booked', 'write_off', 'write_off_reversed')),
  subject text not null,
  -- The subject first: the entries of an invoice are found by it alone.
  unique (subject, event)
);
create index ledger_transactions_at on ledger_transactions (at);

create table ledger_entries (
  transaction_id text not null references ledger_transactions,
  position integer not null,
  account text not null
    check (account in ('processor', 'tax_payable', 'seller_payable', 'affiliate_payable', 'fees',
      'add_on_fees', 'disputes_open', 'dispute_hold', 'dispute_costs', 'buyer_payable', 'losses',
      'waived', 'processing_fees', 'dispute_fees', 'payout_fees', 'bank', 'suspense')),
  -- Whose account: a seller, an affiliate, a state; empty for the service's own.
  owner text not null default '',
  amount bigint not null check (amount <> 0),
  currency text not null check (currency = 'usd'),
  -- In the order of posting, so that a list of an owner's entries continues after any of them.
  number bigint generated always as identity,
  primary key (transaction_id, position)
);
create index ledger_entries_account on ledger_entries (account, owner, number);
-- What states are owed, read from the index alone.
create index ledger_entries_tax on ledger_entries (owner, transaction_id) include (amount)
  where account = 'tax_payable';

-- Checked for each statement, so that one statement may insert any number of transactions.
create function ledger_must_balance() returns trigger language plpgsql as $$
declare
  unbalanced text;
begin
  select transaction_id into unbalanced from inserted
    group by transaction_id, currency having sum(amount) <> 0 limit 1;
  if unbalanced is not null then
    raise exception 'ledger transaction % does not sum to zero', unbalanced;
  end if;
  return null;
end $$;
create trigger ledger_entries_balance after insert on ledger_entries
  referencing new table as inserted for each statement execute function ledger_must_balance();
create trigger ledger_entries_are_append_only before update or delete or truncate
  on ledger_entries for each statement execute function refuse_change();
create trigger ledger_transactions_are_append_only before update or delete or truncate
  on ledger_transactions for each statement execute function refuse_change();

-- Serializes settlements of an owner's whole balance, until the transaction ends.
create function lock_owner(owner text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(owner, 7));
end $$;

-- The balance of each buyer in the ledger, so that those who owe or are owed are listed without
-- reading everything that was ever settled: a debit is what a buyer received in excess, a credit
-- what they are owed.
create table buyer_balances (
  user_id text primary key,
  amount bigint not null
);
create index buyer_balances_excess on buyer_balances (user_id) where amount > 0;
create index buyer_balances_owed on buyer_balances (user_id) where amount < 0;

create function add_to_buyer_balance() returns trigger language plpgsql as $$
begin
  -- Before the row, as staff who settle a balance do: in another order, they could deadlock.
  perform lock_owner(new.owner);
  insert into buyer_balances as kept (user_id, amount) values (new.owner, new.amount)
    on conflict (user_id) do update set amount = kept.amount + excluded.amount;
  return null;
end $$;
create trigger ledger_entries_buyer after insert on ledger_entries for each row
  when (new.account = 'buyer_payable') execute function add_to_buyer_balance();

-- Debts of sellers and affiliates, and excess of buyers, that staff wrote off.
create table write_offs (
  id text primary key,
  account text not null
    check (account in ('seller_payable', 'affiliate_payable', 'buyer_payable')),
  owner text not null,
  amount bigint not null check (amount > 0),
  -- The user of the staff who decided it.
  written_off_by text not null,
  reason text not null,
  created_at timestamptz not null
);
create index write_offs_owner on write_offs (owner, created_at desc);
create trigger write_offs_are_append_only before update or delete or truncate on write_offs
  for each statement execute function refuse_change();

-- Movements at the processor that no record explains, and what staff booked each as.
create table suspense_bookings (
  id text primary key,
  processor text not null,
  -- The processor's balance transaction, which is booked once.
  movement_id text not null,
  account text not null check (account in ('bank', 'processing_fees', 'losses')),
  -- Positive: what was received.
  amount bigint not null check (amount <> 0),
  -- The user of the staff who decided it.
  booked_by text not null,
  reason text not null,
  created_at timestamptz not null,
  unique (processor, movement_id)
);
create trigger suspense_bookings_are_append_only before update or delete or truncate
  on suspense_bookings for each statement execute function refuse_change();

-- Payments to buyers outside their card.
create table buyer_payments (
  id text primary key,
  user_id text not null,
  amount bigint not null check (amount > 0),
  -- The user of the staff who paid it.
  paid_by text not null,
  created_at timestamptz not null
);
create index buyer_payments_user on buyer_payments (user_id, created_at desc);
create trigger buyer_payments_are_append_only before update or delete or truncate
  on buyer_payments for each statement execute function refuse_change();

-- The charges of which such a payment returns a part, for their receipts. They add up to it.
create table buyer_payment_parts (
  payment_id text not null references buyer_payments,
  charge_id text not null,
  amount bigint not null check (amount > 0),
  -- The app's own time, like that of its refunds.
  created_at timestamptz not null,
  primary key (payment_id, charge_id)
);
create index buyer_payment_parts_charge on buyer_payment_parts (charge_id);
create trigger buyer_payment_parts_are_append_only before update or delete or truncate
  on buyer_payment_parts for each statement execute function refuse_change();

-- What buyers repaid of what they had received in excess of their payments.
create table excess_repayments (
  id text primary key,
  user_id text not null,
  amount bigint not null check (amount > 0),
  way text not null check (way in ('bank_transfer', 'check')),
  reference text not null,
  -- The day on which it arrived.
  paid_on date not null,
  -- The user of the staff who recorded it.
  recorded_by text not null,
  created_at timestamptz not null
);
create index excess_repayments_user on excess_repayments (user_id, created_at desc);
create trigger excess_repayments_are_append_only before update or delete or truncate
  on excess_repayments for each statement execute function refuse_change();

-- What of the excess that was written off did not reach the buyer after all.
create table write_off_reversals (
  id text primary key,
  user_id text not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null
);
create index write_off_reversals_user on write_off_reversals (user_id, created_at desc);
create trigger write_off_reversals_are_append_only before update or delete or truncate
  on write_off_reversals for each statement execute function refuse_change();

-- The charges whose excess a repayment or a write-off settles, for their receipts. They add up to
-- it; those of a reversal are negative.
create table excess_parts (
  settlement_id text not null,
  charge_id text not null,
  amount bigint not null check (amount <> 0),
  -- The app's own time, like that of its refunds.
  created_at timestamptz not null,
  primary key (settlement_id, charge_id)
);
create index excess_parts_charge on excess_parts (charge_id);
create trigger excess_parts_are_append_only before update or delete or truncate
  on excess_parts for each statement execute function refuse_change();

-- One row: the last check of the books, for the monitoring.
create table ledger_checks (
  id boolean primary key default true check (id),
  at timestamptz not null,
  differences integer not null check (differences >= 0),
  -- When the whole books were last checked.
  whole_at timestamptz
);

-- Months that are over and were checked without a difference, as they were then.
create table ledger_proofs (
  month text primary key check (month ~ '^\d{4}-\d{2}$'),
  transactions bigint not null check (transactions >= 0),
  -- A sum of hashes of the month's lines.
  digest text not null,
  proven_at timestamptz not null
);
