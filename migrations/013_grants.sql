-- Hosted sign-in: the records of its protocol, what people agreed to share, and its keys.

-- One row a sign-in session, interaction, grant, code or token.
create table oidc_records (
  -- SHA-256 of the text that names the record: who has that text has the right it stands for.
  id bytea primary key,
  kind text not null check (kind in ('Session', 'Interaction', 'Grant', 'AuthorizationCode',
    'AccessToken', 'RefreshToken')),
  payload jsonb not null,
  -- What a code or token was given under; when the grant goes, it goes, whatever happens beside it.
  grant_id bytea references oidc_records on delete cascade,
  session_uid text,
  client_id text references clients,
  user_id text references users,
  scope text,
  -- Whom a token is for; null: the app's own sign-in.
  audience text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz
);
create index oidc_records_grant on oidc_records (grant_id);
create index oidc_records_session on oidc_records (session_uid);
create index oidc_records_user on oidc_records (user_id, client_id);
create index oidc_records_expired on oidc_records (expires_at);

create table consents (
  user_id text not null references users,
  client_id text not null references clients,
  scopes text[] not null,
  granted_at timestamptz not null,
  primary key (user_id, client_id)
);

-- Sealed under the service's key ring.
create table oidc_keys (
  id text primary key,
  -- Keys that sign, and the one secret from which the private ids of people are made.
  purpose text not null check (purpose in ('sign', 'subject')),
  sealed bytea not null,
  -- A key is published before it signs, so that nobody meets a signature of a key he cannot find.
  active_from timestamptz not null,
  created_at timestamptz not null
);
create unique index oidc_keys_one_subject on oidc_keys (purpose) where purpose = 'subject';

-- The hosted sign-in add-on of an app is on while it was enabled and not disabled since.
alter table apps
  add column addon_enabled_at timestamptz,
  add column addon_disabled_at timestamptz;
