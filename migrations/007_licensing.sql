-- Who may use what: licenses, their keys, their history, and how often each was used.

create table licenses (
  id text primary key,
  app_id text not null references apps,
  user_id text not null references users,
  product_id text not null references products,
  status text not null check (status in ('active', 'trialing', 'one_time_active', 'past_due',
    'unpaid', 'paused', 'canceled', 'preview')),
  -- The status that a pause interrupted, restored when it ends, and the reason of the pause.
  paused_from text
    check (paused_from in ('active', 'trialing', 'one_time_active', 'past_due', 'unpaid',
      'paused', 'canceled', 'preview')),
  paused_for text check (paused_for in ('dispute', 'staff', 'buyer')),
  period_end timestamptz,
  canceled_at timestamptz,
  -- A keyed hash by which the key is found, and the sealed key to show to its owner again.
  key_hash bytea not null unique,
  key_sealed bytea not null,
  rotated_at timestamptz,
  -- The latest rotations whose requests had a key: repeated, such a request rotates nothing.
  keyed_rotations jsonb not null default '[]',
  -- How it began. An imported license that its buyer continues with a card becomes a purchase.
  origin text not null check (origin in ('purchase', 'preview', 'comp', 'import')),
  -- When the owner of an imported license gets an email about its end; null: never, or it was sent.
  reminds_at timestamptz,
  created_at timestamptz not null,
  constraint licenses_pause check ((status = 'paused') = (paused_from is not null)
    and (paused_from is null) = (paused_for is null))
);
create unique index licenses_one_live on licenses (app_id, user_id)
  where status not in ('canceled', 'preview');
create unique index licenses_one_preview on licenses (app_id, user_id) where status = 'preview';
-- A person's licenses, the latest first.
create index licenses_user on licenses (user_id, created_at desc, id desc);
-- Who has a plan is read before the plan is changed.
create index licenses_product on licenses (product_id);
-- Lists of an app's licenses, the latest first.
create index licenses_newest on licenses (app_id, created_at, id)
  include (status, product_id, origin) where origin <> 'preview';
create index licenses_status on licenses (app_id, status, created_at, id)
  include (product_id, origin) where origin <> 'preview';
-- For the totals: equal keys are stored once.
create index licenses_sums on licenses (app_id, status, product_id, origin)
  where origin <> 'preview';
create index licenses_comped on licenses (app_id, created_at, id) where origin in ('comp', 'import');
-- Comps and imported licenses that end.
create index licenses_comp_ends on licenses (period_end) include (app_id)
  where origin in ('comp', 'import') and status = 'active';
-- Owners of imported licenses to write to.
create index licenses_reminders on licenses (reminds_at) include (app_id)
  where origin = 'import' and status = 'active';
create index licenses_suspended on licenses (app_id) where paused_for = 'staff';

-- Keys that another service issued, and that still work here. A key is stored as a keyed hash only, as
-- it is never shown, and is scoped to one app: two apps may have bought the same text.
create table license_key_aliases (
  app_id text not null references apps,
  key_hash bytea not null,
  license_id text not null references licenses,
  created_at timestamptz not null,
  -- Since the key of its license was replaced, it opens nothing, and no import returns it.
  replaced_at timestamptz,
  primary key (app_id, key_hash)
);
create index license_key_aliases_license on license_key_aliases (license_id);

create table license_history (
  id bigint generated always as identity primary key,
  license_id text not null references licenses,
  at timestamptz not null,
  from_status text
    check (from_status in ('active', 'trialing', 'one_time_active', 'past_due', 'unpaid',
      'paused', 'canceled', 'preview')),
  to_status text not null
    check (to_status in ('active', 'trialing', 'one_time_active', 'past_due', 'unpaid', 'paused',
      'canceled', 'preview')),
  trigger text not null
    check (trigger in ('purchase', 'preview', 'comp', 'import', 'renewed', 'upgraded', 'plan_changed',
      'trial_extended', 'renewal_failed', 'retries_ended', 'recovered', 'dunning_exhausted',
      'period_ended', 'refunded', 'disputed', 'suspended', 'buyer_paused', 'resumed', 'dispute_lost',
      'preview_ended', 'comp_ended', 'import_changed', 'import_ended',
      'source_ended', 'continued', 'account_deleted'))
);
create index license_history_license on license_history (license_id, id);
create trigger license_history_is_append_only before update or delete or truncate
  on license_history for each statement execute function refuse_change();

-- How often a license was used, by day, kind and network: evidence for disputes.
create table license_uses (
  license_id text not null references licenses,
  day date not null,
  kind text not null
    check (kind in ('key_checked', 'plan_checked', 'order_read', 'key_shown')),
  -- Too coarse to identify a household: `203.0.113.*`.
  network text not null,
  count integer not null check (count > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (license_id, day, kind, network)
);
create index license_uses_day on license_uses (day);
