import { sql } from '#platform/sql'
import type { Sweep } from '#platform/sweep'

/** Quotes without a sale; a cart that used one is deleted before. */
export const QUOTE_SWEEP: Sweep = {
  table: 'tax_quotes',
  days: 31,
  batch: (db, before, limit) =>
    db.run(sql`delete from tax_quotes where id in (select q.id from tax_quotes q
      where q.created_at <= ${before}
        and not exists (select 1 from carts where tax_quote_id = q.id)
        and not exists (select 1 from invoices where tax_quote_id = q.id) ${limit})`),
}
