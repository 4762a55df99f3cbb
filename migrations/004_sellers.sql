-- Sellers, and the members who act for them.

create table sellers (
  id text primary key,
  legal_name text not null,
  -- The address in the United States: street and number, city, state, ZIP code.
  address text not null,
  city text not null,
  state text not null,
  zip text not null,
  terms_accepted_at timestamptz,
  -- Which version of the seller terms was accepted. A new version must be accepted again.
  terms_version text,
  created_at timestamptz not null
);

-- The people who act for a seller.
create table seller_members (
  seller_id text not null references sellers,
  user_id text not null references users,
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'support')),
  -- The emails that the member turned off: sale, cancellation, failed_renewal.
  muted_emails text[] not null default '{}',
  created_at timestamptz not null,
  primary key (seller_id, user_id)
);
create index seller_members_user on seller_members (user_id, created_at);
create unique index seller_members_owner on seller_members (seller_id) where role = 'owner';

-- Invitations to a seller's team. The account that has the email, once it is verified, accepts.
create table member_invitations (
  id text primary key,
  seller_id text not null references sellers,
  email text not null,
  email_normalized text not null,
  role text not null check (role in ('admin', 'developer', 'finance', 'support')),
  invited_by text not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint member_invitations_one unique (seller_id, email_normalized)
);
create index member_invitations_email on member_invitations (email_normalized);
create index member_invitations_expired on member_invitations (expires_at);

-- The seller whose pages a session opens; null: the first of which its account is a member.
alter table sessions add column seller_id text references sellers;
