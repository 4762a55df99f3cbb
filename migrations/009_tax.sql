-- Sales tax: quotes with the rule that made each, sums by month and state, and filings.

create table tax_quotes (
  id text primary key,
  country text not null,
  state text not null,
  zip text not null,
  amount bigint not null,
  tax bigint not null check (tax >= 0),
  -- The dated row of the rate table, its rate in millionths and the taxable share in millionths.
  rule text not null,
  rate_ppm integer not null,
  taxable_ppm integer not null,
  created_at timestamptz not null
);
create index tax_quotes_made on tax_quotes (created_at);

-- Sales, and what was returned of them, that the tax service recorded too.
create table tax_records (
  -- The invoice, refund or dispute.
  subject text primary key,
  -- The foreign key follows where invoices are created.
  invoice_id text not null,
  -- The tax service's id of it; null where it refused to record it.
  transaction_id text,
  recorded_at timestamptz not null
);
create index tax_records_invoice on tax_records (invoice_id);

-- Tax in sums, so that the tax pages and exports do not read a million lines: what a month (UTC)
-- had of one event in a state. Returned amounts are negative.
create table tax_sums (
  month text not null,
  state text not null,
  event text not null check (event in ('sale', 'refund', 'dispute_lost', 'appeal_won')),
  lines bigint not null,
  amount bigint not null,
  taxable bigint not null,
  tax bigint not null,
  -- Every rate that was charged, in millionths.
  rates integer[] not null,
  primary key (month, state, event)
);

-- The ledger transactions with tax of a state, by time.
create table tax_lines (
  state text not null,
  at timestamptz not null,
  transaction_id text not null,
  primary key (state, at, transaction_id)
);

-- Transactions of the ledger that are not in the sums yet, queued with the transaction itself.
create table tax_unsummed (transaction_id text primary key);
create function queue_tax_sum() returns trigger language plpgsql as $$
begin
  insert into tax_unsummed (transaction_id) values (new.id);
  return null;
end $$;
create trigger ledger_transactions_tax after insert on ledger_transactions for each row
  when (new.event in ('sale', 'refund', 'dispute_lost', 'appeal_won'))
  execute function queue_tax_sum();

create table remittances (
  id text primary key,
  state text not null,
  -- The month it is owed for, `2026-11`.
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  -- Tax of the month's sales less that of its refunds, and the rest of an earlier month.
  collected bigint not null,
  carried bigint not null check (carried <= 0),
  amount bigint not null check (amount >= 0),
  filing_reference text not null,
  filed_by text not null references users,
  filed_at timestamptz not null,
  unique (state, month)
);
