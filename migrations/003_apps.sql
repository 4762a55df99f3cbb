-- Sellers, their apps, and the credentials with which an app's server calls.

create table sellers (
  id text primary key,
  user_id text not null unique references users,
  legal_name text not null,
  state text not null,
  zip text not null,
  created_at timestamptz not null
);

create table apps (
  id text primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
  seller_id text not null references sellers,
  name text not null,
  tagline text not null default '',
  description text not null default '',
  -- The seller's registered website; return addresses must lie on its host.
  url text not null,
  oauth_login_url text not null,
  listing_mode text not null default 'marketplace'
    check (listing_mode in ('marketplace', 'external')),
  is_published boolean not null default false,
  external_sales_enabled boolean not null default false,
  created_at timestamptz not null
);
create index apps_seller on apps (seller_id);
alter table sessions add foreign key (app_id) references apps;

create table clients (
  client_id text primary key,
  -- Null for a client that belongs to no app.
  app_id text unique references apps,
  secret_hash bytea,
  redirect_uris text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  created_at timestamptz not null
);
