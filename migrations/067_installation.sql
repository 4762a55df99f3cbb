-- What a database was written with, so that a start with other settings is refused.

-- Keys of SECRET_KEY, by a value that tells nothing about them.
create table secret_keys (
  fingerprint text primary key,
  -- announced: on the ring, and nothing was written with it yet.
  status text not null check (status in ('announced', 'in_use')),
  seen_at timestamptz not null
);

-- One row: whether the money in this database is real.
create table installation (
  id boolean primary key default true check (id),
  money text not null check (money in ('test', 'live'))
);
