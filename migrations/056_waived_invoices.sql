-- What an invoice's fee consists of, and that one too small to charge was waived.
alter table invoices
  -- The fixed part of the fee, charged once a period: an upgrade within a paid one has none.
  add column fixed_fee bigint,
  -- Below the processor's smallest charge: the service bore it, and nothing was charged.
  add column is_waived boolean not null default false;
update invoices set fixed_fee = least(fee, 50);
alter table invoices
  alter column fixed_fee set not null,
  add constraint invoices_fixed_fee check (fixed_fee between 0 and fee),
  add constraint invoices_waived check (not is_waived or status = 'paid');
