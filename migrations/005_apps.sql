-- Sellers' apps, the credentials with which an app's server calls, and the log of changes.

create table apps (
  id text primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
  seller_id text not null references sellers,
  name text not null,
  tagline text not null default '',
  description text not null default '',
  -- The seller's registered website; return addresses must be on its host.
  url text not null,
  oauth_login_url text not null,
  listing_mode text not null default 'marketplace'
    check (listing_mode in ('marketplace', 'external')),
  is_published boolean not null default false,
  external_sales_enabled boolean not null default false,
  allows_pause boolean not null default false,
  -- An archived app is not for sale and not listed; its licenses stay valid.
  archived_at timestamptz,
  -- Since when staff suspend the app, and since when they suspend its seller.
  suspended_at timestamptz,
  seller_suspended_at timestamptz,
  is_suspended boolean not null
    generated always as (suspended_at is not null or seller_suspended_at is not null) stored,
  -- Whether buyers can buy it now.
  is_on_sale boolean not null generated always as (is_published and external_sales_enabled
    and suspended_at is null and seller_suspended_at is null) stored,
  -- The words by which the marketplace finds the app.
  search tsvector not null generated always as (
    setweight(to_tsvector('english', name), 'A') || setweight(to_tsvector('english', tagline), 'B')
    || setweight(to_tsvector('english', description), 'C')) stored,
  -- The hosted sign-in add-on is on from the day it was enabled until it is disabled.
  addon_enabled_at timestamptz,
  addon_disabled_at timestamptz,
  -- Test mode: how far this app's test clock is ahead of the service's clock, in seconds.
  clock_ahead bigint not null default 0 check (clock_ahead >= 0),
  -- When it last moved, by the clock of the database.
  clock_moved_at timestamptz,
  created_at timestamptz not null
);
create index apps_seller on apps (seller_id);
create index apps_search on apps using gin (search);
create index apps_similar_names on apps using gin (name gin_trgm_ops);
create index apps_published on apps (lower(name), id) where is_published;
-- The lists of staff, the newest first.
create index apps_created on apps (created_at, id);
create index apps_suspended on apps (created_at, id) where is_suspended;
create index apps_archived on apps (created_at, id) where archived_at is not null;
-- The few apps whose test clock is ahead.
create index apps_clock_ahead on apps (id) where clock_ahead > 0;
alter table tasks add foreign key (app_id) references apps;
alter table sessions add foreign key (app_id) references apps;

-- Icons and screenshots. Their files are in the storage, by id and width.
create table app_images (
  id text primary key,
  app_id text not null references apps,
  kind text not null check (kind in ('icon', 'screenshot')),
  -- The order of an app's screenshots.
  position integer not null default 0,
  -- What a screenshot shows, for people who cannot see it.
  alt text not null default '',
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  created_at timestamptz not null,
  -- Set when it is removed, and until its files are stored: retention deletes row and files.
  removed_at timestamptz,
  -- Whether the app's seller can restore it after its removal: it was shown, and by this seller.
  is_restorable boolean not null default false
);
create index app_images_app on app_images (app_id, position) where removed_at is null;
create index app_images_removed on app_images (removed_at) where removed_at is not null;
create index app_images_removed_of on app_images (app_id, removed_at)
  where removed_at is not null;
alter table apps add column icon_id text references app_images;

-- Each time that an app's hosted sign-in add-on was turned on or off: the fees of sales follow it.
create table add_on_switches (
  app_id text not null references apps,
  number bigint generated always as identity,
  at timestamptz not null,
  is_on boolean not null,
  primary key (app_id, number)
);
create trigger add_on_switches_are_append_only before update or delete or truncate
  on add_on_switches for each statement execute function refuse_change();

-- Every change of what the public sees of an app is announced, so that caches drop it at once.
-- Products and prices use the same function.
create function announce_app() returns trigger language plpgsql as $$
declare
  changed text;
begin
  changed := case tg_table_name
    when 'apps' then to_jsonb(new)->>'id'
    when 'products' then to_jsonb(new)->>'app_id'
    else (select app_id from products where id = to_jsonb(new)->>'product_id')
  end;
  perform pg_notify('app_changed', changed);
  return null;
end $$;
create trigger apps_announce after insert or update on apps
  for each row execute function announce_app();

-- Offers to transfer an app to another seller. The owner who has the email accepts or declines.
create table app_transfers (
  id text primary key,
  app_id text not null references apps,
  from_seller text not null references sellers,
  -- Null once it is decided: who it was is in decided_by.
  email text,
  email_normalized text,
  reason text not null,
  requested_by text not null references users,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  outcome text check (outcome in ('accepted', 'declined', 'withdrawn')),
  decided_by text references users,
  decided_at timestamptz,
  to_seller text references sellers,
  constraint app_transfers_decided check (
    (outcome is null) = (decided_at is null) and (outcome is null) = (decided_by is null)
    and (outcome is null) = (email is not null) and (email is null) = (email_normalized is null)
    and (outcome is not distinct from 'accepted') = (to_seller is not null))
);
create unique index app_transfers_open on app_transfers (app_id) where outcome is null;
create index app_transfers_email on app_transfers (email_normalized) where outcome is null;
create index app_transfers_expired on app_transfers (expires_at) where outcome is null;
-- Former sellers, whose money the app's invoices may still be about.
create index app_transfers_former on app_transfers (from_seller, app_id)
  where outcome = 'accepted';
create index app_transfers_accepted on app_transfers (app_id, decided_at)
  where outcome = 'accepted';

-- Requests of sellers that staff enable external sales for an app.
create table approval_requests (
  id text primary key,
  app_id text not null references apps,
  requested_by text not null references users,
  requested_at timestamptz not null,
  decided_by text references users,
  decided_at timestamptz,
  is_approved boolean,
  reason text not null default '',
  constraint approval_requests_decided check (
    (decided_at is null) = (is_approved is null) and (decided_at is null) = (decided_by is null))
);
create unique index approval_requests_open on approval_requests (app_id) where decided_at is null;
create index approval_requests_app on approval_requests (app_id, requested_at);
create index approval_requests_refused on approval_requests (app_id) where not is_approved;
create index approval_requests_waiting on approval_requests (requested_at)
  where decided_at is null;

create table clients (
  client_id text primary key,
  -- Null for a client that belongs to no app.
  app_id text unique references apps,
  secret_hash bytea,
  redirect_uris text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  created_at timestamptz not null
);
-- The one client that all agents share: programs on people's computers that manage a seller's apps.
-- It belongs to no app and has no secret. Its redirect addresses follow a rule instead of a list
-- (see domain/grants/agent.ts).
insert into clients (client_id, app_id, secret_hash, created_at)
  values ('purser-agent', null, null, now());

-- New client secrets, each to be fetched once at its claim URL.
create table secret_claims (
  -- SHA-256 of the token in the claim URL.
  id bytea primary key,
  client_id text not null references clients,
  -- The secret, sealed under the service's key ring. The first fetch deletes the row.
  sealed bytea not null,
  expires_at timestamptz not null
);
create index secret_claims_client on secret_claims (client_id);
create index secret_claims_expired on secret_claims (expires_at);

-- One row per change that a seller or a seller's agent made, with all of that part before and after,
-- so that it can be undone. It never contains a secret.
create table app_changes (
  id text primary key,
  -- The order in which they were made; two may have the same time.
  number bigint generated always as identity,
  app_id text not null references apps,
  at timestamptz not null,
  user_id text not null references users,
  -- The program that made the change for the person; null: the person, on a page.
  agent text,
  request_id text not null,
  action text not null
    check (action in ('listing.updated', 'listing.sections_replaced',
      'listing.features_replaced', 'versions.replaced', 'product.described',
      'integration.updated', 'integration.secret_created',
      'integration.secret_rotated')),
  before jsonb not null,
  after jsonb not null,
  reverts text references app_changes
);
create unique index app_changes_app on app_changes (app_id, number);
create trigger app_changes_is_append_only before update or delete or truncate on app_changes
  for each statement execute function refuse_change();

-- What the last run of an app's integration checks found.
create table integration_checks (
  app_id text primary key references apps,
  checked_at timestamptz not null,
  findings jsonb not null
);
