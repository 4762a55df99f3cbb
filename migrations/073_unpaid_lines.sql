-- What payees are owed, without reading all that they ever earned.

-- Lines of payees that no payout has taken: listed with their posting, gone with their payout.
create table unpaid_lines (
  transaction_id text not null,
  position integer not null,
  owner text not null,
  account text not null,
  at timestamptz not null,
  event text not null,
  amount bigint not null,
  -- The invoice that it comes from; of a line that comes from none, a name of its own.
  sale text not null,
  primary key (transaction_id, position)
);
create index unpaid_lines_payee on unpaid_lines (owner, account, at);
create index unpaid_lines_taken_back on unpaid_lines (owner, account, sale) where amount > 0;

-- The balance of each payee in the ledger, and the entries that are not in it yet.
create table payee_balances (
  owner text not null,
  account text not null,
  amount bigint not null,
  primary key (owner, account)
);
create table payee_unsummed (
  transaction_id text not null,
  position integer not null,
  owner text not null,
  account text not null,
  amount bigint not null,
  primary key (transaction_id, position)
);

create view payee_lines as
  select e.transaction_id, e.position, e.owner, e.account, t.at, t.event, e.amount,
    coalesce(case t.event when 'sale' then 'inv_' || substr(t.subject, 5) else c.invoice_id end,
      e.transaction_id || '/' || e.position) as sale
  from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    left join refunds r on t.event = 'refund' and r.id = t.subject
    left join disputes d on t.event ~ '^(dispute|appeal)_' and d.id = t.subject
    left join charges c on c.id = coalesce(r.charge_id, d.charge_id)
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

insert into unpaid_lines select l.* from payee_lines l
  where not exists (select 1 from payout_lines p
    where p.transaction_id = l.transaction_id and p.position = l.position);
insert into payee_balances select owner, account, sum(amount) from ledger_entries
  where account in ('seller_payable', 'affiliate_payable') group by owner, account;
