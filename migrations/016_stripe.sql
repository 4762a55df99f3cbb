-- The Stripe adapter's own records, in a schema of its own.
create schema stripe_adapter;

-- Requests to Stripe, recorded before they are sent, so that a lost answer can be recovered.
create table stripe_adapter.requests (
  -- Also the idempotency key that Stripe receives, unless it refused the request before.
  key text primary key,
  kind text not null check (kind in ('charge', 'refund', 'transfer', 'payout', 'account')),
  -- The request. Null: the key was closed before its first request.
  body jsonb,
  -- Stripe's id of the object that resulted, as soon as it is known.
  object_id text unique,
  -- The key is closed: it can no longer result in anything.
  closed_at timestamptz,
  sent_at timestamptz not null,
  -- How often Stripe refused it for a lack of funds: it would repeat that for a day, so the next
  -- attempt has a key of its own there.
  refusals integer not null default 0,
  check (body is not null or closed_at is not null)
);

-- Visits to the billing portal, each with the card that was on file when it was opened.
create table stripe_adapter.portals (
  id text primary key,
  card_token text not null,
  opened_at timestamptz not null
);

-- Evidence saved at Stripe as a draft until it is submitted to the bank, once.
create table stripe_adapter.evidence (
  dispute_id text primary key,
  submit_at timestamptz not null,
  submitted_at timestamptz
);
create index evidence_due on stripe_adapter.evidence (submit_at) where submitted_at is null;
