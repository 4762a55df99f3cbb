-- Agents: programs on the computers of people, which manage a seller's apps in his name.

-- The one client that every agent shares. It belongs to no app and has no secret, and where it may
-- send people back to is a rule instead of a list (see domain/grants/agent.ts).
insert into clients (client_id, app_id, secret_hash, created_at)
  values ('purser-agent', null, null, now());

-- What somebody is shown of an agent that he allowed: the library's own record does not tell.
create table agent_grants (
  id text primary key,
  -- With the record goes all that it stands for, and so does this row.
  grant_id bytea not null unique references oidc_records on delete cascade,
  user_id text not null references users,
  scopes text[] not null,
  -- Where on that computer the agent waited for the answer: host and port.
  callback text not null,
  -- The browser in which it was allowed.
  browser text not null,
  granted_at timestamptz not null
);
create index agent_grants_user on agent_grants (user_id);
