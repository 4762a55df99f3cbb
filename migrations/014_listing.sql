-- What an app's product page shows: sections, the feature table, categories, industries and tags.

create table listing_sections (
  app_id text not null references apps,
  position integer not null check (position between 0 and 3),
  title text not null check (char_length(title) between 1 and 120),
  -- HTML, sanitized before it is stored.
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

-- Which plans have a feature. A plan that is no longer sold is not shown.
create table listing_feature_products (
  app_id text not null,
  position integer not null,
  product_id text not null references products,
  number integer not null,
  primary key (app_id, position, product_id),
  foreign key (app_id, position) references listing_features on delete cascade
);

-- Categories, industries and tags, shared by all apps. The first app that uses one creates it.
create table listing_names (
  kind text not null check (kind in ('category', 'industry', 'tag')),
  -- The name as it is compared, case-insensitive.
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
create index listing_app_names_named on listing_app_names (key, kind);

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
