-- The processor's own account of our balance, and the books beside it.

-- Everything that moved the balance, as the processor lists it; fetched once a day.
create table balance_transactions (
  processor text not null,
  id text not null,
  at timestamptz not null,
  kind text not null check (kind in ('charge', 'refund', 'refund_failed', 'dispute', 'dispute_won',
    'payout', 'payout_failed', 'bank', 'fee', 'other')),
  -- The processor's name of the charge, refund or dispute; of a payout the key it was asked under.
  subject text,
  -- What came in before fees, and what the processor took for itself.
  amount bigint not null,
  fee bigint not null,
  fee_kind text not null check (fee_kind in ('processing', 'dispute', 'payout')),
  description text not null,
  primary key (processor, id)
);
create index balance_transactions_at on balance_transactions (processor, at);

-- Days that are over and fetched, with the balance at the processor at their end.
create table closed_days (
  processor text not null,
  day date not null,
  balance bigint not null,
  closed_at timestamptz not null,
  primary key (processor, day)
);

-- Taxes are remitted, and buyers paid otherwise, from the operator's bank, not from the processor.
with moved as (
  insert into ledger_transactions (id, at, event, subject)
  select 'txn_bank_' || t.id, t.at, 'moved_to_bank', t.subject
  from ledger_transactions t where t.event in ('remittance', 'buyer_paid')
    and exists (select 1 from ledger_entries e
      where e.transaction_id = t.id and e.account = 'processor')
  returning id)
insert into ledger_entries (transaction_id, position, account, owner, amount, currency)
select m.id, line.position, line.account, '', line.sign * e.amount, 'usd'
from moved m join ledger_entries e
    on e.transaction_id = substr(m.id, 10) and e.account = 'processor',
  (values (1, 'processor', -1), (2, 'bank', 1)) as line (position, account, sign);
