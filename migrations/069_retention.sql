-- What is no longer needed is found, and deleted, without reading what stays.
create index carts_open on carts (updated_at) where order_id is null and completed_at is null;
create index carts_quote on carts (tax_quote_id);
create index orders_quote on orders (tax_quote_id);
create index attempts_quote on attempts (tax_quote_id);
create index invoices_quote on invoices (tax_quote_id);
create index tax_quotes_made on tax_quotes (created_at);
create index attempts_failed on attempts (created_at)
  where status in ('declined', 'closed', 'refused');
create index letters_sent on letters (sent_at) where sent_at is not null;
create index license_uses_day on license_uses (day);
create index processor_events_handled on processor_events (handled_at)
  where handled_at is not null;
create index tasks_updated on tasks (updated_at) where status in ('done', 'failed');
