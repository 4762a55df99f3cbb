-- What every module uses: the audit log, email on its way out, tasks, alarms, and what a start
-- checks.

-- Similar spellings, for searches.
create extension if not exists pg_trgm;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name;
end $$;

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  request_id text,
  detail jsonb not null,
  -- The caller's network address and user agent: an investigation needs both (ASVS 16).
  address text,
  agent text,
  -- How the actor came: a page, staff in the admin area, an agent, an app's server, or a command on the machine.
  channel text not null check (channel in ('page', 'admin', 'agent', 'api', 'command')),
  -- The seller whose member, agent or app acted, or about whom staff did; its members see the entry.
  seller_id text
);
-- Each is in the order of the list that staff searches.
create index audit_log_subject on audit_log (subject, at, id);
create index audit_log_actor on audit_log (actor, at, id);
create index audit_log_action on audit_log (action, at, id);
create index audit_log_at on audit_log (at, id);
create index audit_log_seller on audit_log (seller_id, at, id) where seller_id is not null;
create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- One row per email. It is rendered when it is sent, so that no key or link is stored here.
create table emails (
  id text primary key,
  -- The event that the email is about. Unique: a second email for the same event is refused.
  cause text not null unique,
  kind text not null,
  subject_id text not null,
  facts jsonb not null default '{}',
  queued_at timestamptz not null,
  sent_at timestamptz,
  -- In lower case. Null where the email was no longer needed when it was written; empty for an
  -- account that was deleted.
  recipients text[],
  -- What replaces the addresses of accounts that were deleted before the email was sent, by a digest
  -- of the email's id and the address: a send that began before does not log the address.
  forgotten jsonb,
  -- Whom it reached already, as digests of its id and the address, where the mail server accepted
  -- it for some of its recipients. The others are retried.
  reached text[] not null default '{}',
  attempts integer not null default 0,
  -- Why the last attempt failed.
  error text
);
create index emails_sent on emails (sent_at) where sent_at is not null;
-- The log of emails that staff searches, in its order.
create index emails_queued on emails (queued_at, id);
-- What was written about one license, invoice or payout.
create index emails_subject on emails (subject_id);
create index emails_recipients on emails using gin (recipients);
create index emails_unsent on emails (queued_at) where sent_at is null;

create table dev_mailbox (
  message_id text primary key,
  recipient text not null,
  subject text not null,
  html text not null,
  text text not null,
  -- Each with its name, type and bytes in base64.
  attachments jsonb not null default '[]',
  sent_at timestamptz not null
);
-- A PDF is compressed already.
alter table dev_mailbox alter column attachments set storage external;

-- Background work that a person waits for, and its progress.
create table tasks (
  id text primary key,
  kind text not null,
  -- The account that may see it. The foreign keys follow where users and apps are created.
  user_id text not null,
  app_id text,
  request jsonb not null,
  done integer not null default 0,
  total integer not null default 0,
  -- The current step, as shown on the page.
  note text not null default '',
  status text not null check (status in ('waiting', 'running', 'done', 'failed')),
  result jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index tasks_user on tasks (user_id, created_at);
create index tasks_updated on tasks (updated_at) where status in ('done', 'failed');

-- Files that tasks created for download, kept for a week.
create table task_files (
  task_id text primary key references tasks,
  name text not null,
  type text not null,
  -- Both are null until the file is complete: an incomplete file cannot be downloaded.
  rows integer,
  bytes bigint,
  made_at timestamptz not null,
  check ((rows is null) = (bytes is null))
);
create index task_files_made on task_files (made_at);

-- In parts, so that a whole file is never in memory, neither when it is made nor when it is read.
create table task_file_parts (
  task_id text not null references task_files on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (task_id, part)
);

-- Files of the service by key, unless the settings name a bucket for them.
create table stored_files (
  key text primary key,
  content bytea not null,
  created_at timestamptz not null
);

-- Problems that the service cannot resolve, for staff. One row per cause while it is open.
create table alarms (
  id text primary key,
  kind text not null,
  -- What it is about: an operation of the processor, a payout, a charge.
  subject text not null,
  message text not null,
  -- The page on which staff can act.
  href text,
  -- How often it was raised while it was open.
  count integer not null default 1 check (count > 0),
  raised_at timestamptz not null,
  last_at timestamptz not null,
  resolved_at timestamptz
);
create unique index alarms_open on alarms (kind, subject) where resolved_at is null;
create index alarms_resolved on alarms (resolved_at) where resolved_at is not null;

-- One row, written to find out whether the database accepts writes.
create table health_probe (
  id boolean primary key default true check (id),
  at timestamptz not null
);

-- What the database was written with, so that a start with other settings is refused: the keys of
-- SECRET_KEY, by a fingerprint that reveals nothing about them.
create table secret_keys (
  fingerprint text primary key,
  -- announced: configured, and nothing was written with it yet.
  status text not null check (status in ('announced', 'in_use')),
  seen_at timestamptz not null
);

-- One row: whether the money in this database is real, and whether a restore is under review.
create table installation (
  id boolean primary key default true check (id),
  money text not null check (money in ('test', 'live')),
  -- When it was restored from a backup, until it was compared with the processor.
  restored_at timestamptz
);
