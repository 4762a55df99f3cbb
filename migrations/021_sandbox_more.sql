-- The rest of the sandbox processor's records: money that goes back or out, disputes, its portal,
-- and what it tells by itself.

alter table sandbox.cards
  -- Whose page it was entered on.
  add column app_name text,
  -- How many renewals are still to be declined because a scene wants it so.
  add column failing_renewals integer not null default 0 check (failing_renewals >= 0);
update sandbox.cards set app_name = e.app_name
  from sandbox.card_entries e where e.card_token = token;
alter table sandbox.cards alter column app_name set not null;

create table sandbox.portals (
  id text primary key,
  app_name text not null,
  email text not null,
  -- The card on file when the page was opened, and the one that was put in its place.
  card_token text not null references sandbox.cards,
  new_card_token text references sandbox.cards,
  return_url text not null,
  created_at timestamptz not null
);

create table sandbox.refunds (
  id text primary key,
  key text not null unique,
  request_hash text not null,
  charge_id text not null references sandbox.charges,
  amount bigint not null check (amount > 0),
  -- As it was answered; how a pending one ends is told by an event.
  status text not null check (status in ('succeeded', 'pending', 'refused')),
  reason text,
  -- When a refund that seemed done comes back.
  comes_back_at timestamptz,
  created_at timestamptz not null,
  check ((reason is not null) = (status = 'refused'))
);
create index refunds_charge on sandbox.refunds (charge_id);

-- A dispute with the course that it takes unless somebody acts.
create table sandbox.disputes (
  id text primary key,
  charge_id text not null unique references sandbox.charges,
  amount bigint not null check (amount > 0),
  reason text not null,
  is_inquiry boolean not null,
  evidence jsonb,
  opened_at timestamptz not null,
  -- When an inquiry becomes a dispute; null where it never does.
  escalates_at timestamptz,
  closes_at timestamptz not null,
  outcome text not null check (outcome in ('won', 'lost')),
  check (is_inquiry or escalates_at is null)
);

create table sandbox.accounts (
  id text primary key,
  owner text not null unique,
  email text not null,
  bank_name text,
  bank_last4 text check (length(bank_last4) = 4),
  -- Why the bank takes no payout; null where it does.
  bank_failure text,
  created_at timestamptz not null,
  check ((bank_name is null) = (bank_last4 is null))
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
  -- As it was answered; how a pending one ends is told by an event.
  status text not null check (status in ('pending', 'failed')),
  reason text,
  created_at timestamptz not null,
  check ((reason is not null) = (status = 'failed'))
);

-- What is told by itself, and when: an event that is not due yet may still be taken back.
create table sandbox.events (
  id text primary key,
  position bigint generated always as identity,
  -- The dispute, refund, payout or account that it tells of, and the charge where it has one.
  subject text not null,
  charge_id text references sandbox.charges,
  told jsonb not null,
  due_at timestamptz not null,
  acknowledged boolean not null default false
);
create index events_due on sandbox.events (due_at, position) where not acknowledged;
create index events_subject on sandbox.events (subject);
