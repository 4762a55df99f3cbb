-- What long work made for its owner to download, kept for a week.
create table task_files (
  task_id text primary key references tasks,
  name text not null,
  type text not null,
  -- Both are null while the file is made: nobody gets half of one.
  rows integer,
  bytes bigint,
  made_at timestamptz not null,
  check ((rows is null) = (bytes is null))
);
create index task_files_made on task_files (made_at);

-- In parts, so that neither who makes a file nor who reads it ever holds all of it.
create table task_file_parts (
  task_id text not null references task_files on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (task_id, part)
);

-- An app's bills are read from the latest down, a page at a time.
create index invoices_app_number on invoices (app_id, number);
