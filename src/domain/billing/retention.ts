import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** Abandoned carts: one can be continued for a day. */
export const CART_SWEEP: Sweep = {
  table: 'carts',
  days: 30,
  batch: (db, before, limit) =>
    db.run(sql`delete from carts where id in (select c.id from carts c
      where c.order_id is null and c.completed_at is null and c.updated_at <= ${before}
        and not exists (select 1 from invoices i where i.cart_id = c.id) ${limit})`),
}

/** Invoices of purchases that were never paid, once the attempts to pay them are deleted. */
export const DRAFT_SWEEP: Sweep = {
  table: 'invoices',
  days: 400,
  batch: (db, before, limit) =>
    db.run(sql`delete from invoices where id in (select i.id from invoices i
      where i.kind = 'purchase' and i.status = 'void' and i.created_at <= ${before}
        and not exists (select 1 from attempts a where a.invoice_id = i.id) ${limit})`),
}
