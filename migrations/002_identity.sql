-- People: accounts, their sessions, and the single-use links that prove a mailbox.

create table users (
  id text primary key,
  email text not null,
  -- The spelling under which an address is found: lower case, no surrounding space.
  email_normalised text not null unique,
  email_verified_at timestamptz,
  password_hash text,
  created_via text not null check (created_via in ('checkout', 'signup', 'demo')),
  is_operator boolean not null default false,
  locked_at timestamptz,
  created_at timestamptz not null
);

create table sessions (
  token_hash bytea primary key,
  user_id text not null references users,
  -- Set while the mailbox is unproven: the session then sees this app's purchase and nothing else.
  app_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);

create table account_links (
  token_hash bytea primary key,
  user_id text not null references users,
  purpose text not null check (purpose in ('verify_email', 'set_password', 'sign_in', 'not_me')),
  -- A path of this service to go on to afterwards.
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index account_links_user on account_links (user_id);
