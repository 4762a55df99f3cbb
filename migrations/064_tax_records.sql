-- Sales, and what went back of them, that are on the tax service's own record too.
create table tax_records (
  -- The invoice, refund or dispute.
  subject text primary key,
  invoice_id text not null references invoices,
  -- The tax service's name for it; null where it refused to record it.
  transaction_id text,
  recorded_at timestamptz not null
);
create index tax_records_invoice on tax_records (invoice_id);
