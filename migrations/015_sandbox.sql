-- The sandbox processor's own records, in a schema of its own: to the service it is an outside
-- system.
create schema sandbox;

-- Stored cards, never with their number or CVC.
create table sandbox.cards (
  token text primary key,
  -- The app on whose page it was entered.
  app_name text not null,
  brand text not null,
  last4 text not null check (length(last4) = 4),
  exp_month smallint not null,
  exp_year smallint not null,
  billing_country text not null,
  billing_zip text not null,
  issuer_country text not null,
  fingerprint text not null,
  -- The behavior of the test card, by name.
  behavior text not null
    check (behavior in ('succeeds', 'declines_generic', 'declines_insufficient_funds',
      'declines_lost', 'declines_stolen', 'declines_expired', 'declines_cvc',
      'declines_processing_error', 'declines_fraudulent', 'declines_after_verification',
      'challenges_once', 'challenges_always', 'disputes_fraudulent', 'disputes_not_received',
      'disputes_inquiry', 'refunds_pending', 'refunds_fail', 'renews_on_retry_1',
      'renews_on_retry_2', 'renews_on_retry_3', 'never_renews', 'loses_answer', 'loses_request')),
  -- Whether it passed a challenge.
  authenticated boolean not null default false,
  -- How often it was declined since it last worked.
  declines integer not null default 0,
  -- How many further renewals a scenario declines.
  failing_renewals integer not null default 0 check (failing_renewals >= 0),
  created_at timestamptz not null
);

create table sandbox.card_entries (
  id text primary key,
  app_name text not null,
  app_icon text,
  product_name text not null,
  email text not null,
  figures jsonb,
  note text,
  zip text not null,
  return_url text not null,
  back_url text not null,
  -- Set when the card was entered: an entry is used once.
  card_token text unique references sandbox.cards,
  created_at timestamptz not null
);

create table sandbox.portals (
  id text primary key,
  app_name text not null,
  app_icon text,
  email text not null,
  -- The card on file when the page was opened, and the one that replaced it.
  card_token text not null references sandbox.cards,
  new_card_token text references sandbox.cards,
  return_url text not null,
  created_at timestamptz not null
);

create table sandbox.charges (
  id text primary key,
  -- Null once the key was used again after its 24 hours.
  key text unique,
  request_hash text,
  card_token text references sandbox.cards,
  amount bigint check (amount >= 0),
  currency text check (currency = 'usd'),
  description text,
  off_session boolean,
  return_url text,
  -- `processing` is never visible outside the transaction that decides.
  status text not null default 'processing'
    check (status in ('processing', 'succeeded', 'declined', 'action_required', 'closed')),
  decline_code text
    check (decline_code in ('generic_decline', 'insufficient_funds', 'lost_card', 'stolen_card',
      'expired_card', 'incorrect_cvc', 'processing_error', 'fraudulent',
      'authentication_required', 'authentication_failed')),
  -- In the URL of the challenge page that the buyer is sent to.
  challenge_id text unique,
  -- When the answer arrives; set only by the test card whose first answer is lost.
  answers_at timestamptz,
  created_at timestamptz not null,
  check ((decline_code is not null) = (status = 'declined')),
  check (challenge_id is not null or status <> 'action_required'),
  -- Only a key that was closed before its first request has no request.
  check (
    status = 'closed' or num_nulls(
      request_hash, card_token, amount, currency, description, off_session, return_url
    ) = 0
  )
);
create index charges_card on sandbox.charges (card_token);

create table sandbox.refunds (
  id text primary key,
  key text not null unique,
  request_hash text not null,
  charge_id text not null references sandbox.charges,
  amount bigint not null check (amount > 0),
  -- As it was answered. An event reports how a pending one ends.
  status text not null check (status in ('succeeded', 'pending', 'refused')),
  reason text,
  -- When a refund that seemed to succeed fails.
  comes_back_at timestamptz,
  created_at timestamptz not null,
  check ((reason is not null) = (status = 'refused'))
);
create index refunds_charge on sandbox.refunds (charge_id);

-- A dispute, and how it continues unless one of the parties acts.
create table sandbox.disputes (
  id text primary key,
  charge_id text not null unique references sandbox.charges,
  amount bigint not null check (amount > 0),
  reason text not null
    check (reason in ('fraudulent', 'product_not_received', 'product_unacceptable', 'duplicate',
      'subscription_canceled', 'credit_not_processed', 'unrecognized', 'general')),
  is_inquiry boolean not null,
  evidence jsonb,
  opened_at timestamptz not null,
  -- When an inquiry becomes a dispute; null where it never does.
  escalates_at timestamptz,
  closes_at timestamptz not null,
  outcome text not null check (outcome in ('won', 'lost')),
  -- When an appeal ended; `outcome` is then how the appeal ended.
  appealed_at timestamptz,
  check (is_inquiry or escalates_at is null)
);

create table sandbox.accounts (
  id text primary key,
  owner text not null unique,
  email text not null,
  bank_name text,
  bank_last4 text check (length(bank_last4) = 4),
  -- The same for the same account number in every entry.
  bank_fingerprint text,
  -- Why the bank rejects payouts; null where it accepts them.
  bank_failure text,
  created_at timestamptz not null,
  check ((bank_name is null) = (bank_last4 is null)),
  check ((bank_name is null) = (bank_fingerprint is null))
);

create table sandbox.onboardings (
  id text primary key,
  account_id text not null references sandbox.accounts,
  return_url text not null,
  created_at timestamptz not null
);

create table sandbox.payouts (
  id text primary key,
  key text not null unique,
  request_hash text not null,
  account_id text not null references sandbox.accounts,
  amount bigint not null check (amount > 0),
  description text not null,
  -- As it was answered. An event reports how a pending one ends.
  status text not null check (status in ('pending', 'failed')),
  reason text,
  created_at timestamptz not null,
  check ((reason is not null) = (status = 'failed'))
);

-- The events that the sandbox sends, and when. An event that is not due yet may still be withdrawn.
create table sandbox.events (
  id text primary key,
  position bigint generated always as identity,
  -- The dispute, refund, payout or account that it is about, and the charge where it has one.
  subject text not null,
  charge_id text references sandbox.charges,
  content jsonb not null,
  due_at timestamptz not null,
  acknowledged boolean not null default false
);
create index events_due on sandbox.events (due_at, position) where not acknowledged;
create index events_subject on sandbox.events (subject);

-- Money transferred between the balance and the operator's bank account; negative: to the bank.
create table sandbox.bank_transfers (
  id text primary key,
  amount bigint not null check (amount <> 0),
  created_at timestamptz not null
);
-- A reserve, as operators keep one: disputes and fees are deducted before the ledger has them.
insert into sandbox.bank_transfers (id, amount, created_at)
  values ('bt_reserve', 1000000, '2000-01-01T00:00:00Z');

-- Every transaction of the sandbox's balance, as a processor lists it. `amount` is what is received
-- before fees; `fee` is what the processor keeps for itself.
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
  where e.content ->> 'kind' = 'payout_settled' and e.content ->> 'outcome' = 'failed'
  union all
  select 'txn_' || id, created_at, 'bank', null, amount, 0, 'processing'
  from sandbox.bank_transfers;
