-- The sales of an app that had a refund asked for, by their number. What became of a sale is read
-- from its refunds alone; this only says where to look.
create table refunded_sales (
  app_id text not null,
  number bigint not null,
  invoice_id text not null,
  charge_id text not null,
  primary key (app_id, number)
);
create view refunds_of_sales as
  select i.app_id, i.number, i.id as invoice_id, c.id as charge_id, r.id as refund_id
  from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id;

create function list_refunded_sales() returns trigger language plpgsql as $$
begin
  insert into refunded_sales (app_id, number, invoice_id, charge_id)
    select app_id, number, invoice_id, charge_id from refunds_of_sales
    where refund_id in (select id from inserted)
    on conflict do nothing;
  return null;
end $$;
create trigger refunds_sale after insert on refunds
  referencing new table as inserted for each statement execute function list_refunded_sales();
insert into refunded_sales (app_id, number, invoice_id, charge_id)
  select app_id, number, invoice_id, charge_id from refunds_of_sales on conflict do nothing;
