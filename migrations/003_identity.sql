-- People: accounts, sessions, second factors, and the single-use links that verify an email.

create table users (
  id text primary key,
  email text not null,
  -- Lowercase, without surrounding spaces: the spelling by which an account is found.
  email_normalized text not null unique,
  email_verified_at timestamptz,
  password_hash text,
  created_via text not null check (created_via in ('checkout', 'signup', 'comp', 'import', 'demo')),
  -- Null for everyone who is not staff.
  staff_role text check (staff_role in ('support', 'finance', 'admin')),
  locked_at timestamptz,
  -- In the test mode beside live mode, for an account that is a copy: its id in live mode.
  live_id text unique,
  -- Of emails and PDFs, as in the name of a catalog of messages.
  language text not null default 'en',
  created_at timestamptz not null
);
-- Finds accounts by the beginning of their email.
create index users_email_start on users (email_normalized text_pattern_ops);
create index users_locked on users (locked_at) where locked_at is not null;
create index users_staff on users (staff_role) where staff_role is not null;
alter table tasks add foreign key (user_id) references users;

create table sessions (
  token_hash bytea primary key,
  -- Public: names the session on the page that lists sessions.
  id text not null constraint sessions_id unique,
  user_id text not null references users,
  -- Set while the email is unverified: the session is then limited to this app's purchase. The
  -- foreign key follows where apps are created.
  app_id text,
  browser text not null default 'Unknown browser',
  -- The network only, never the whole address.
  network text not null default 'unknown',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the account's owner last authenticated in this session.
  authenticated_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- In the test mode beside live mode: the session there from which its owner entered.
  live_session_id text
);
create index sessions_user on sessions (user_id);
create index sessions_entered on sessions (live_session_id) where live_session_id is not null;

-- A sign-in whose password or email link was accepted and whose second factor is missing. It is not
-- a session.
create table pending_sign_ins (
  token_hash bytea primary key,
  user_id text not null references users,
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index pending_sign_ins_user on pending_sign_ins (user_id);

create table account_links (
  token_hash bytea primary key,
  user_id text references users,
  purpose text not null check (purpose in ('verify_email', 'set_password', 'sign_in', 'not_me',
    'sign_up', 'change_email', 'undo_email', 'staff', 'test_mode')),
  -- The id of the sign-up, the email change, the invitation or the seller that the link is about.
  about text,
  -- A path of this service to continue at.
  return_to text,
  -- Of an entry to test mode: the session from which it was opened.
  session_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint account_links_of check ((user_id is null) = (purpose in ('sign_up', 'staff')))
);
create index account_links_user on account_links (user_id);

create table authenticator_apps (
  user_id text primary key references users,
  secret_sealed bytea not null,
  created_at timestamptz not null,
  -- It is a second factor from the first accepted code on.
  confirmed_at timestamptz,
  -- The time step of the last accepted code. Codes of this step and of earlier ones are refused.
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

-- What a passkey signs: once, for one browser and one purpose.
create table passkey_challenges (
  challenge_hash bytea primary key,
  purpose text not null check (purpose in ('add', 'sign_in', 'second_factor', 'confirm')),
  -- The account whose passkeys are accepted. Null at a sign-in: the passkey names the account.
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

-- A sign-up before its email is verified. The account is created when the emailed link is used.
create table sign_ups (
  id text primary key,
  email text not null,
  email_normalized text not null,
  password_hash text not null,
  -- The browser that chose the password. In any other browser a new one is chosen.
  browser_hash bytea not null,
  return_to text,
  language text not null default 'en',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table email_changes (
  id text primary key,
  user_id text not null references users,
  old_email text not null,
  new_email text not null,
  new_email_normalized text not null,
  -- The session in which it was requested, which may have ended since.
  session_id text not null,
  created_at timestamptz not null,
  done_at timestamptz,
  -- Withdrawn, undone, or replaced by a later change.
  ended_at timestamptz
);
create unique index email_changes_one_pending on email_changes (user_id)
  where done_at is null and ended_at is null;

-- Invitations to staff that wait for an answer: one per email, and a new one replaces it. An answered
-- one is deleted; the audit log keeps it.
create table staff_invitations (
  id text primary key,
  email text not null,
  email_normalized text not null constraint staff_invitations_email unique,
  role text not null check (role in ('support', 'finance', 'admin')),
  -- Null for an invitation by the command.
  invited_by text references users,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
