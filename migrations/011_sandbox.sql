-- The sandbox processor's own records: the outside world's, in a schema of its own.
create schema sandbox;

-- What is left of a card once it was entered: never its number, never its CVC.
create table sandbox.cards (
  token text primary key,
  brand text not null,
  last4 text not null check (length(last4) = 4),
  exp_month smallint not null,
  exp_year smallint not null,
  billing_country text not null,
  billing_zip text not null,
  issuer_country text not null,
  fingerprint text not null,
  -- The name of what the test card does.
  behaviour text not null,
  -- Whether a challenge was passed with it.
  authenticated boolean not null default false,
  -- How often it was declined since it last worked.
  declines integer not null default 0,
  created_at timestamptz not null
);

create table sandbox.card_entries (
  id text primary key,
  app_name text not null,
  product_name text not null,
  email text not null,
  summary text[] not null,
  zip text not null,
  return_url text not null,
  back_url text not null,
  -- Set when the card was entered: an entry is used once.
  card_token text unique references sandbox.cards,
  created_at timestamptz not null
);

create table sandbox.charges (
  id text primary key,
  -- Gone from a row whose key was used anew after its 24 hours.
  key text unique,
  request_hash text,
  card_token text references sandbox.cards,
  amount bigint check (amount >= 0),
  currency text check (currency = 'usd'),
  description text,
  off_session boolean,
  return_url text,
  -- `processing` is never seen from outside of the transaction that decides.
  status text not null default 'processing'
    check (status in ('processing', 'succeeded', 'declined', 'action_required', 'closed')),
  decline_code text,
  -- The buyer's way to the page of the challenge that the request led to.
  challenge_id text unique,
  -- When the answer arrives; only for the card whose answer is lost at first.
  answers_at timestamptz,
  created_at timestamptz not null,
  check ((decline_code is not null) = (status = 'declined')),
  check (challenge_id is not null or status <> 'action_required'),
  -- Only a key that was closed before anything was asked under it says nothing more.
  check (
    status = 'closed' or num_nulls(
      request_hash, card_token, amount, currency, description, off_session, return_url
    ) = 0
  )
);
create index charges_card on sandbox.charges (card_token);
