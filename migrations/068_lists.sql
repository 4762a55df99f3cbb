-- Lists that grow: found by an index however long they are.

-- The few bills that are not paid, for the filter of the sales page.
create index invoices_app_unpaid on invoices (app_id, status, number) where status <> 'paid';
-- Refunds and disputes by what became of them.
create index disputes_status on disputes (status, charge_id);
-- A buyer's purchases, the latest first.
drop index orders_user;
create index orders_user on orders (user_id, created_at desc, id desc);
-- What states are owed: read without the table itself.
create index ledger_entries_tax on ledger_entries (owner, transaction_id) include (amount)
  where account = 'tax_payable';
