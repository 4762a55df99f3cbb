-- Hosted sign-in: the records of its protocol, consents, connected agents, and keys.

-- One row per sign-in session, interaction, grant, code or token.
create table oidc_records (
  -- SHA-256 of the text that names the record: possession of that text is the authorization.
  id bytea primary key,
  kind text not null check (kind in ('Session', 'Interaction', 'Grant', 'AuthorizationCode',
    'AccessToken', 'RefreshToken')),
  payload jsonb not null,
  -- The grant of a code or token. It is deleted with its grant, whatever runs concurrently.
  grant_id bytea references oidc_records on delete cascade,
  -- The refresh token that this one replaced; it may be swept before this one is.
  parent_id bytea,
  session_uid text,
  -- The `sid` in the ID tokens of a login, by which an app names it at sign-out.
  sid text,
  client_id text references clients,
  user_id text references users,
  scope text,
  -- The audience of a token; null: the app's own sign-in.
  audience text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz
);
create index oidc_records_grant on oidc_records (grant_id);
create index oidc_records_parent on oidc_records (parent_id) where parent_id is not null;
create index oidc_records_session on oidc_records (session_uid);
create index oidc_records_sid on oidc_records (sid) where sid is not null;
create index oidc_records_user on oidc_records (user_id, client_id);
create index oidc_records_expired on oidc_records (expires_at);

create table consents (
  user_id text not null references users,
  client_id text not null references clients,
  scopes text[] not null,
  granted_at timestamptz not null,
  -- A purchase is consent too. Disconnecting the app withdraws both, until the next purchase.
  withdrawn_at timestamptz,
  primary key (user_id, client_id)
);

-- What people see of an agent that they allowed; the record of the grant does not contain it.
create table agent_grants (
  id text primary key,
  -- Deleting the record revokes the grant and deletes this row.
  grant_id bytea not null unique references oidc_records on delete cascade,
  user_id text not null references users,
  scopes text[] not null,
  -- Where on that computer the agent received the answer: host and port.
  callback text not null,
  -- The browser in which it was allowed.
  browser text not null,
  granted_at timestamptz not null
);
create index agent_grants_user on agent_grants (user_id);

-- Sealed under the service's key ring.
create table oidc_keys (
  id text primary key,
  -- Keys that sign, and the one secret from which pairwise subject ids are derived.
  purpose text not null check (purpose in ('sign', 'subject')),
  sealed bytea not null,
  -- A key is published before it signs, so that every app can verify its first signature.
  active_from timestamptz not null,
  created_at timestamptz not null
);
create unique index oidc_keys_one_subject on oidc_keys (purpose) where purpose = 'subject';
