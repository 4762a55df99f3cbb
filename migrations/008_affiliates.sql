-- Affiliates and their codes.

create table affiliates (
  id text primary key,
  user_id text not null unique references users,
  code text not null unique check (code ~ '^[a-z0-9-]{4,32}$'),
  created_at timestamptz not null
);
