-- Second factors, ways in that are not finished, and what an owner sees of his sessions.

alter table sessions
  add column id text,
  -- When somebody last proved in this session to be the account's owner.
  add column authenticated_at timestamptz,
  add column last_seen_at timestamptz,
  add column browser text not null default 'Unknown browser',
  -- The network alone, never the whole address.
  add column network text not null default 'unknown';
update sessions set id = 'ses_' || left(encode(sha256(token_hash), 'hex'), 22),
  authenticated_at = created_at, last_seen_at = created_at;
alter table sessions
  alter column id set not null,
  alter column authenticated_at set not null,
  alter column last_seen_at set not null,
  add constraint sessions_id unique (id);

-- Somebody proved a password or a mailbox and still owes the second factor. It is no session.
create table pending_sign_ins (
  token_hash bytea primary key,
  user_id text not null references users,
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index pending_sign_ins_user on pending_sign_ins (user_id);

create table authenticator_apps (
  user_id text primary key references users,
  secret_sealed bytea not null,
  created_at timestamptz not null,
  -- It counts once a code of it was shown.
  confirmed_at timestamptz,
  -- The time step of the last code that was taken: neither it nor an earlier one is taken again.
  last_step bigint
);

create table passkeys (
  id text primary key,
  user_id text not null references users,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

-- What a passkey is asked to sign: once, by one browser, for one purpose.
create table passkey_challenges (
  challenge_hash bytea primary key,
  purpose text not null check (purpose in ('add', 'sign_in', 'second_factor', 'confirm')),
  -- Whose passkey may answer; unknown where the passkey itself shall say who comes.
  user_id text references users,
  browser_hash bytea not null,
  expires_at timestamptz not null
);

create table recovery_codes (
  code_hash bytea primary key,
  user_id text not null references users,
  created_at timestamptz not null,
  used_at timestamptz
);
create index recovery_codes_user on recovery_codes (user_id);

-- An address and a password that somebody typed. No account comes of it before the mailbox answers.
create table sign_ups (
  id text primary key,
  email text not null,
  email_normalised text not null,
  password_hash text not null,
  -- The browser that chose the password: any other must choose one of its own.
  browser_hash bytea not null,
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table email_changes (
  id text primary key,
  user_id text not null references users,
  old_email text not null,
  new_email text not null,
  new_email_normalised text not null,
  created_at timestamptz not null,
  done_at timestamptz,
  -- Withdrawn, undone, or replaced by a later change.
  ended_at timestamptz
);
create unique index email_changes_one_pending on email_changes (user_id)
  where done_at is null and ended_at is null;

alter table account_links
  -- The id of the sign-up or of the change of email that the link decides upon.
  add column about text,
  alter column user_id drop not null,
  drop constraint account_links_purpose_check,
  add constraint account_links_purpose_check check (purpose in ('verify_email', 'set_password',
    'sign_in', 'not_me', 'sign_up', 'change_email', 'undo_email')),
  add constraint account_links_of check ((user_id is null) = (purpose = 'sign_up'));
