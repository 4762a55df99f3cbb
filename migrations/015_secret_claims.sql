-- New client secrets that wait to be fetched, each once, by whoever holds its address.

create table secret_claims (
  -- SHA-256 of the token in the address.
  id bytea primary key,
  client_id text not null references clients,
  -- The secret, sealed under the service's key ring; the row goes with its first reading.
  sealed bytea not null,
  expires_at timestamptz not null
);
create index secret_claims_client on secret_claims (client_id);
create index secret_claims_expired on secret_claims (expires_at);
