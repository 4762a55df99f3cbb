-- What sellers import from files of other services: the files' rows, what is done with each, and which
-- license each row of a service became.

create table imports (
  id text primary key,
  app_id text not null references apps,
  -- Who sold the app when the file was uploaded: no later seller sees it.
  seller_id text not null references sellers,
  -- The member who imports.
  user_id text not null references users,
  source text not null
    check (source in ('lemon_squeezy', 'gumroad', 'paddle', 'polar', 'stripe', 'keygen', 'purser')),
  file_name text not null,
  file_bytes integer not null,
  -- Whether parts of the file may be stored: from before the upload until they are deleted.
  has_file boolean not null default true,
  -- What is known of it: its columns, its rows, what would be done, or what was done.
  status text not null check (status in ('uploaded', 'read', 'checked', 'importing', 'done')),
  -- The names of the file's columns, until it is read, and which field each is, by position.
  columns jsonb not null,
  matched jsonb not null,
  -- The plan for each product of the file, as long as its rows; null: it is not imported.
  plans jsonb not null default '{}',
  -- Whether buyers get an email with their new key.
  notifies boolean not null default false,
  -- Until the file is read, the number of its lines.
  rows integer not null default 0,
  -- How many faults the file has; the first of them are in `import_faults`.
  faults integer not null default 0,
  -- How many rows have each outcome.
  counts jsonb not null default '{}',
  -- The place of the last row that was imported: after a crash, it continues with the next.
  done_place integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- When the seller deleted it, or transferred the app; it is shown nowhere from then on, and its
  -- rows follow.
  deleted_at timestamptz
);
create index imports_app on imports (app_id, created_at);
create index imports_created on imports (created_at);
create index imports_seller on imports (seller_id, created_at);
create index imports_deleted on imports (deleted_at) where deleted_at is not null;
create index imports_files on imports (created_at) where has_file;

-- The rows of a file as they were read, until 30 days after it was uploaded.
create table import_rows (
  import_id text not null references imports on delete cascade,
  line integer not null,
  external_id text not null,
  email text not null,
  email_normalized text not null,
  -- The product at the source.
  plan text not null,
  -- The former key, as its keyed hash.
  key_hash bytea,
  -- The end of what was paid; null: for good.
  ends_at timestamptz,
  over text check (over in ('ended', 'refunded', 'revoked')),
  amount bigint,
  frequency text check (frequency in ('day', 'week', 'month', 'year')),
  -- Whether it is the row of its buyer that entitles for the longest.
  is_best boolean not null default false,
  -- Its place in the order of the import: the best rows first.
  place integer,
  outcome text check (outcome in ('create', 'create_key_taken', 'create_key_replaced',
    'update', 'update_key_taken', 'update_key_replaced', 'end', 'add_key', 'key_taken',
    'key_replaced', 'unchanged', 'duplicate', 'owned', 'ends_earlier', 'add_key_ends_earlier',
    'over', 'ended_here', 'buying', 'skipped')),
  primary key (import_id, line)
);
create index import_rows_email on import_rows (email_normalized, import_id);
create index import_rows_place on import_rows (import_id, place);
create index import_rows_external on import_rows (import_id, external_id);

create table import_faults (
  import_id text not null references imports on delete cascade,
  place integer not null,
  line integer not null,
  column_name text,
  value text not null,
  message text not null,
  primary key (import_id, place)
);
-- An email in the wrong column: it is deleted with the account of its owner.
create index import_faults_email on import_faults (lower(value)) where value like '%@%';

-- Which license a row of a service became: the same row again changes this one.
create table imported_records (
  app_id text not null references apps,
  source text not null,
  external_id text not null,
  license_id text not null references licenses,
  primary key (app_id, source, external_id)
);
create index imported_records_license on imported_records (license_id);
