-- A decided dispute may be decided again, the other way: how the appeal ended.
alter table disputes add column appeal text check (appeal in ('won', 'lost'));

-- The same in the sandbox: when the appeal ended. `outcome` is how it ended then.
alter table sandbox.disputes add column appealed_at timestamptz;

create or replace view sandbox.balance_transactions as
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
  where (outcome = 'won') = (appealed_at is null) and (escalates_at is not null or not is_inquiry)
  union all
  select 'txn_appeal_' || id, appealed_at,
    case outcome when 'won' then 'dispute_won' else 'dispute' end, id,
    case outcome when 'won' then amount else -amount end,
    case outcome when 'won' then -1500 else 1500 end, 'dispute'
  from sandbox.disputes where appealed_at is not null
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
