-- What proves that a license was used, and what refunds and disputes need beyond their figures.

-- How often something was done with a license: counted for each day, kind and network.
create table license_uses (
  license_id text not null references licenses,
  day date not null,
  kind text not null
    check (kind in ('key_checked', 'plan_checked', 'order_read', 'key_shown')),
  -- Too coarse to name a household: `203.0.113.*`.
  network text not null,
  count integer not null check (count > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (license_id, day, kind, network)
);

alter table refunds
  -- Why the processor refused it, in its words.
  add column refusal text;
create index refunds_refused on refunds (created_at) where status = 'refused';

alter table disputes
  -- What the fee and the add-on took of the disputed part: the service keeps both.
  add column fee bigint not null default 0 check (fee >= 0),
  add column add_on_fee bigint not null default 0 check (add_on_fee between 0 and fee),
  -- Of the amount, what the buyer was owed already because a refund had come back.
  add column owed bigint not null default 0 check (owed between 0 and amount);
create index disputes_unclosed on disputes (due_at) where status in ('inquiry', 'open');
create index licenses_held on licenses (app_id) where paused_for = 'operator';
create index users_locked on users (locked_at) where locked_at is not null;
