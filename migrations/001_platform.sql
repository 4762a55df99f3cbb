-- What every room stands on: the audit log and the letters that go out.

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  request_id text,
  detail jsonb not null
);
create index audit_log_subject on audit_log (subject, at);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name;
end $$;

create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- One row a letter. Its words are made when it is sent, so that no key or link rests here.
create table letters (
  id text primary key,
  -- What the letter is about, said once: a second letter for the same cause is refused.
  cause text not null unique,
  kind text not null,
  subject_id text not null,
  facts jsonb not null default '{}',
  queued_at timestamptz not null,
  sent_at timestamptz
);

create table dev_mailbox (
  message_id text primary key,
  recipient text not null,
  subject text not null,
  html text not null,
  text text not null,
  sent_at timestamptz not null
);
