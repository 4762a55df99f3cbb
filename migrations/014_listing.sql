-- What an app's listing says, who changed it, and the seller's agreement to the terms.

alter table sellers add column terms_accepted_at timestamptz;

-- The name that a product had in older days; taken from callers, never told to them.
alter table products add column legacy_id uuid unique;

-- Who holds a version, and every price that it had, is asked before it is changed.
create index licenses_product on licenses (product_id);
create index prices_product on prices (product_id);

create table listing_sections (
  app_id text not null references apps,
  position integer not null check (position between 0 and 3),
  title text not null check (char_length(title) between 1 and 120),
  -- HTML that was cleaned before it was stored.
  body text not null,
  primary key (app_id, position)
);

create table listing_features (
  app_id text not null references apps,
  position integer not null,
  name text not null check (char_length(name) between 1 and 200),
  description text not null check (char_length(description) <= 500),
  primary key (app_id, position)
);

-- Which plans have a feature; of one that is no longer sold nothing is shown.
create table listing_feature_products (
  app_id text not null,
  position integer not null,
  product_id text not null references products,
  number integer not null,
  primary key (app_id, position, product_id),
  foreign key (app_id, position) references listing_features on delete cascade
);

-- Categories, industries and tags, shared by all apps; a new one is made by who uses it first.
create table listing_names (
  kind text not null check (kind in ('category', 'industry', 'tag')),
  -- The name as it is compared, without regard to case.
  key text not null,
  name text not null,
  created_at timestamptz not null,
  primary key (kind, key)
);

create table listing_app_names (
  app_id text not null references apps,
  kind text not null,
  key text not null,
  position integer not null,
  primary key (app_id, kind, key),
  foreign key (kind, key) references listing_names
);

-- One row a change that a seller or a seller's agent made, with the whole of that part before and
-- after, so that it can be undone. No secret is ever in it.
create table app_changes (
  id text primary key,
  -- The order in which they were made; two may share a moment.
  number bigint generated always as identity,
  app_id text not null references apps,
  at timestamptz not null,
  user_id text not null references users,
  -- The program that did it in the person's name; null: the person, by hand.
  agent text,
  request_id text not null,
  action text not null,
  before jsonb not null,
  after jsonb not null,
  reverts text references app_changes
);
create unique index app_changes_app on app_changes (app_id, number);
create trigger app_changes_is_append_only before update or delete or truncate on app_changes
  for each statement execute function refuse_change();

create function announce_listing() returns trigger language plpgsql as $$
begin
  perform pg_notify('app_changed', coalesce(to_jsonb(new), to_jsonb(old))->>'app_id');
  return null;
end $$;
create trigger listing_sections_announce after insert or update or delete on listing_sections
  for each row execute function announce_listing();
create trigger listing_features_announce after insert or update or delete on listing_features
  for each row execute function announce_listing();
create trigger listing_feature_products_announce
  after insert or update or delete on listing_feature_products
  for each row execute function announce_listing();
create trigger listing_app_names_announce after insert or update or delete on listing_app_names
  for each row execute function announce_listing();
