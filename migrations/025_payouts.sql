-- Payouts by the calendar, and who earned on what.

-- The Monday up to which it was decided whether the calendar pays this payee: each is decided once.
alter table payout_accounts add column weekly_at timestamptz;
create unique index payout_accounts_processor
  on payout_accounts (processor, processor_account_id);

create index invoices_affiliate on invoices (affiliate_id) where affiliate_id is not null;
