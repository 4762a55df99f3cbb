-- Tax in sums, so that the tax pages and exports do not read a million lines.

-- Transactions of the ledger that are not in the sums yet. Written with the transaction itself.
create table tax_unsummed (transaction_id text primary key);
create function queue_tax_sum() returns trigger language plpgsql as $$
begin
  insert into tax_unsummed (transaction_id) values (new.id);
  return null;
end $$;
create trigger ledger_transactions_tax after insert on ledger_transactions for each row
  when (new.event in ('sale', 'refund', 'dispute_lost', 'appeal_won'))
  execute function queue_tax_sum();
insert into tax_unsummed (transaction_id) select id from ledger_transactions
  where event in ('sale', 'refund', 'dispute_lost', 'appeal_won');

-- What a month (UTC) had of one event in a state. What went back is negative.
create table tax_sums (
  month text not null,
  state text not null,
  event text not null,
  lines bigint not null,
  amount bigint not null,
  taxable bigint not null,
  tax bigint not null,
  -- Every rate that was charged, in millionths.
  rates integer[] not null,
  primary key (month, state, event)
);
-- Where a state's lines are in the ledger.
create table tax_lines (
  state text not null,
  at timestamptz not null,
  transaction_id text not null,
  primary key (state, at, transaction_id)
);
