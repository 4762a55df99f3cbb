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
  -- Since when staff suspend the seller: none of its apps is for sale.
  suspended_at timestamptz,
  -- Since when staff pause its payouts.
  payouts_paused_at timestamptz,
  created_at timestamptz not null
);
-- The lists of staff, the newest first.
create index sellers_created on sellers (created_at, id);
create index sellers_suspended on sellers (created_at, id) where suspended_at is not null;
create index sellers_paused on sellers (created_at, id) where payouts_paused_at is not null;
create index sellers_similar_names on sellers using gin (legal_name gin_trgm_ops);

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
-- The seller whose pages staff look at in a session, without acting, and until when.
alter table sessions add column viewing_seller_id text references sellers;
alter table sessions add column viewing_until timestamptz;
