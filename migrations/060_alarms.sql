-- What staff must look at because the service cannot mend it. One row for a cause while it is open.
create table alarms (
  id text primary key,
  kind text not null,
  -- What it is about: an operation of the processor, a payout, a charge.
  subject text not null,
  message text not null,
  -- The page on which staff can act.
  href text,
  -- How often it was raised while it was open.
  count integer not null default 1 check (count > 0),
  raised_at timestamptz not null,
  last_at timestamptz not null,
  resolved_at timestamptz
);
create unique index alarms_open on alarms (kind, subject) where resolved_at is null;
