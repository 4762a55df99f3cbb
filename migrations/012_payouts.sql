-- What sellers and affiliates are owed, and the payouts to their banks.

-- The account at the processor that a payee is paid to, with a bank behind it.
create table payout_accounts (
  owner text primary key,
  processor text not null,
  processor_account_id text not null,
  bank_name text,
  bank_last4 text,
  -- Differs for each account number, as the processor reports it.
  bank_fingerprint text,
  is_ready boolean not null default false,
  -- When its bank returned a payout: nothing is paid to it until the payee enters another bank, or
  -- confirms that the details of this one are right.
  returned_at timestamptz,
  -- The Monday up to which the weekly payout was decided: each week is decided once.
  weekly_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index payout_accounts_processor
  on payout_accounts (processor, processor_account_id);

create table payouts (
  -- Also the idempotency key of the request to the processor.
  id text primary key,
  number bigint generated always as identity unique,
  -- A seller or an affiliate, and the account of the ledger that it is paid from.
  owner text not null,
  account text not null check (account in ('seller_payable', 'affiliate_payable')),
  amount bigint not null check (amount > 0),
  -- What the lines of a seller's payout are before fees: statements show it whatever their length.
  gross bigint,
  cause text not null check (cause in ('weekly', 'request')),
  status text not null check (status in ('open', 'pending', 'paid', 'failed')),
  processor_payout_id text unique,
  -- A failed payout that was never sent, as the processor did not make it; others were returned.
  was_refused boolean not null
    generated always as (status = 'failed' and processor_payout_id is null) stored,
  -- The bank account that it was sent to, in words; the payee may have another one since.
  bank text,
  bank_fingerprint text,
  failure text,
  -- When a payout that the balance did not cover, or that the processor refused, is retried, under
  -- the same key.
  retry_at timestamptz,
  -- Why the processor refused it, in its words; null where the balance did not cover it.
  refusal text,
  created_at timestamptz not null,
  settled_at timestamptz
);
create index payouts_owner on payouts (owner, created_at);
create index payouts_status on payouts (status, number);
create unique index payouts_one_open on payouts (owner, account) where status = 'open';

-- The ledger entries that a payout pays out: its statement.
create table payout_lines (
  transaction_id text not null,
  position integer not null,
  payout_id text not null references payouts,
  -- Its number in the statement, from 1, so that each page is read by an index.
  line integer not null,
  primary key (transaction_id, position),
  foreign key (transaction_id, position) references ledger_entries (transaction_id, position)
);
create unique index payout_lines_payout on payout_lines (payout_id, line);

-- Entries of payees that no payout took yet: inserted with their posting, deleted with their
-- payout, so that what a payee is owed is known without reading everything the payee ever earned.
create table unpaid_lines (
  transaction_id text not null,
  position integer not null,
  owner text not null,
  account text not null check (account in ('seller_payable', 'affiliate_payable')),
  at timestamptz not null,
  event text not null
    check (event in ('sale', 'refund', 'dispute_opened', 'dispute_won', 'dispute_lost',
      'appeal_opened', 'appeal_won', 'payout_failed', 'write_off')),
  amount bigint not null,
  -- The invoice that it results from; for an entry without one, a name of its own.
  sale text not null,
  primary key (transaction_id, position)
);
create index unpaid_lines_payee on unpaid_lines (owner, account, at);
create index unpaid_lines_taken_back on unpaid_lines (owner, account, sale) where amount > 0;

-- The balance of each payee in the ledger, and the entries that are not in it yet.
create table payee_balances (
  owner text not null,
  account text not null check (account in ('seller_payable', 'affiliate_payable')),
  amount bigint not null,
  primary key (owner, account)
);
create index payee_balances_owing on payee_balances (owner) where amount > 0;
create table payee_unsummed (
  transaction_id text not null,
  position integer not null,
  owner text not null,
  account text not null check (account in ('seller_payable', 'affiliate_payable')),
  amount bigint not null,
  primary key (transaction_id, position)
);

-- The invoice that each event of the ledger is about; null for an event without one. Each branch is
-- read only where it applies.
create view posted_invoices as
  select t.id as transaction_id, t.at, t.event, case
      when t.event = 'sale' then t.subject
      when t.event = 'refund' then (select c.invoice_id
        from refunds r join charges c on c.id = r.charge_id where r.id = t.subject)
      when t.event ~ '^(dispute|appeal)_' then (select c.invoice_id
        from disputes d join charges c on c.id = d.charge_id where d.id = t.subject)
    end as invoice_id
  from ledger_transactions t;

-- The columns of `unpaid_lines`, in the same order.
create view payee_lines as
  select e.transaction_id, e.position, e.owner, e.account, t.at, t.event, e.amount,
    coalesce(t.invoice_id, e.transaction_id || '/' || e.position) as sale
  from ledger_entries e join posted_invoices t using (transaction_id)
  where e.account in ('seller_payable', 'affiliate_payable') and t.event <> 'payout';

create function list_unpaid_lines() returns trigger language plpgsql as $$
begin
  insert into payee_unsummed (transaction_id, position, owner, account, amount)
    select transaction_id, position, owner, account, amount from inserted
    where account in ('seller_payable', 'affiliate_payable');
  if found then
    insert into unpaid_lines
      select l.* from inserted i join payee_lines l using (transaction_id, position);
  end if;
  return null;
end $$;
create trigger ledger_entries_unpaid after insert on ledger_entries
  referencing new table as inserted for each statement execute function list_unpaid_lines();

create function drop_paid_lines() returns trigger language plpgsql as $$
begin
  delete from unpaid_lines u using inserted i
    where u.transaction_id = i.transaction_id and u.position = i.position;
  return null;
end $$;
create trigger payout_lines_paid after insert on payout_lines
  referencing new table as inserted for each statement execute function drop_paid_lines();
