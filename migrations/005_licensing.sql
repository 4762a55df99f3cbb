-- Who may use what: licenses, their keys, and their history.

create table licenses (
  id text primary key,
  app_id text not null references apps,
  user_id text not null references users,
  product_id text not null references products,
  status text not null check (status in ('active', 'trialing', 'one_time_active', 'past_due',
    'unpaid', 'paused', 'canceled', 'preview')),
  period_end timestamptz,
  canceled_at timestamptz,
  -- Keyed hash to find the key by, and the sealed key to show its owner again.
  key_hash bytea not null unique,
  key_sealed bytea not null,
  rotated_at timestamptz,
  -- Names the last rotation's request, so that a repeat of it answers alike and rotates nothing.
  rotation_key text,
  created_at timestamptz not null
);
create unique index licenses_one_live on licenses (app_id, user_id)
  where status not in ('canceled', 'preview');
create unique index licenses_one_preview on licenses (app_id, user_id) where status = 'preview';
create index licenses_user on licenses (user_id);

create table license_history (
  id bigint generated always as identity primary key,
  license_id text not null references licenses,
  at timestamptz not null,
  from_status text,
  to_status text not null,
  trigger text not null
);
create index license_history_license on license_history (license_id, id);
create trigger license_history_is_append_only before update or delete or truncate
  on license_history for each statement execute function refuse_change();
