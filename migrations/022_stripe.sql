-- What was asked of Stripe. Written before it is asked, so that a lost answer can be looked for.
create schema stripe_adapter;

create table stripe_adapter.requests (
  -- Also the idempotency key under which Stripe was asked.
  key text primary key,
  kind text not null check (kind in ('charge', 'refund', 'transfer', 'payout', 'account')),
  -- What was asked. Null: the key was closed before anything was asked under it.
  body jsonb,
  -- Stripe's name for what came of it, as soon as it is known.
  object_id text unique,
  -- Nothing may come of the key any more.
  closed_at timestamptz,
  sent_at timestamptz not null,
  check (body is not null or closed_at is not null)
);

-- Visits to the billing portal, each with the card that was on file when it was opened.
create table stripe_adapter.portals (
  id text primary key,
  card_token text not null,
  opened_at timestamptz not null
);

-- Evidence that Stripe keeps for us until it goes to the bank, which hears it once.
create table stripe_adapter.evidence (
  dispute_id text primary key,
  submit_at timestamptz not null,
  submitted_at timestamptz
);
create index evidence_due on stripe_adapter.evidence (submit_at) where submitted_at is null;

-- Everything that was told of one object is looked at together, as it may arrive in any order.
create index processor_events_object on processor_events ((payload ->> 'object_id'));
