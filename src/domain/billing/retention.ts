import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** Carts that were left: nobody can continue one after a day. */
export const CART_SWEEP: Sweep = {
  table: 'carts',
  days: 30,
  batch: (db, before, limit) =>
    db.run(sql`delete from carts where id in (select c.id from carts c
      where c.order_id is null and c.completed_at is null and c.updated_at <= ${before}
        and not exists (select 1 from attempts a where a.cart_id = c.id)
        and not exists (select 1 from orders o where o.cart_id = c.id) ${limit})`),
}
