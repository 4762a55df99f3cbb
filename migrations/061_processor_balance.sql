-- What the balance at the processor covers, and what moves it.

-- A payout that the balance did not cover is asked for again at this time, under the same key.
alter table payouts add column retry_at timestamptz;

-- Money that the operator moved between the balance and a bank account; negative: to the bank.
create table sandbox.bank_transfers (
  id text primary key,
  amount bigint not null check (amount <> 0),
  created_at timestamptz not null
);
-- A reserve, as operators keep one: disputes and fees are taken before the books know of them.
insert into sandbox.bank_transfers (id, amount, created_at)
  values ('bt_reserve', 1000000, '2000-01-01T00:00:00Z');

-- Everything that moves the sandbox's balance, as a processor lists it. `amount` is what comes in
-- before fees; `fee` is what the processor takes for itself.
create view sandbox.balance_transactions as
  select 'txn_' || id as id, created_at as at, 'charge' as kind, id as subject, amount,
    (amount * 29 + 500) / 1000 + 30 as fee, 'processing' as fee_kind
  from sandbox.charges where status = 'succeeded' and amount > 0
  union all
  select 'txn_' || id, created_at, 'refund', id, -amount, 0, 'processing'
  from sandbox.refunds where status <> 'refused'
  union all
  select 'txn_back_' || id, comes_back_at, 'refund_failed', id, amount, 0, 'processing'
  from sandbox.refunds where comes_back_at is not null
  union all
  select 'txn_' || id, coalesce(escalates_at, opened_at), 'dispute', id, -amount, 1500, 'dispute'
  from sandbox.disputes where escalates_at is not null or not is_inquiry
  union all
  select 'txn_won_' || id, closes_at, 'dispute_won', id, amount, -1500, 'dispute'
  from sandbox.disputes
  where outcome = 'won' and (escalates_at is not null or not is_inquiry)
  union all
  select 'txn_' || id, created_at, 'payout', key, -amount, 25 + (amount + 200) / 400, 'payout'
  from sandbox.payouts where status = 'pending'
  union all
  select 'txn_back_' || p.id, e.due_at, 'payout_failed', p.key, p.amount, 0, 'payout'
  from sandbox.payouts p join sandbox.events e on e.subject = p.id
  where e.told ->> 'kind' = 'payout_settled' and e.told ->> 'outcome' = 'failed'
  union all
  select 'txn_' || id, created_at, 'bank', null, amount, 0, 'processing'
  from sandbox.bank_transfers;
