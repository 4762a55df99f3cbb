import { fromJson, type JsonRow } from '#platform/json-row'
import { sql } from '#platform/sql'
import type { Cart } from './carts.ts'

/** Another cart of the same browser, app and email: one being paid, or the last one bought. */
export type OtherPurchase = Pick<Cart, 'id' | 'order_id' | 'completed_at' | 'sign_in_ended_at'>

/**
 * The other purchase beside a row of `carts` that was not bought, as JSON within a statement; see
 * `otherPurchaseOf`. One whose license has ended does not count: its buyer may buy again. Nor does
 * one that this browser sees only after its owner has signed in.
 */
export const OTHER_PURCHASE_AS_JSON = sql`(select to_jsonb(other) from (
  select o.id, o.order_id, o.completed_at, o.sign_in_ended_at from carts o
  where carts.order_id is null and o.browser_hash = carts.browser_hash and o.app_id = carts.app_id
    and o.email_normalized = carts.email_normalized and o.id <> carts.id
    and (exists (select 1 from invoices i join attempts t on t.invoice_id = i.id
        where i.cart_id = o.id and t.status = 'open')
      or exists (select 1 from orders b join licenses l on l.id = b.license_id
          join users u on u.id = b.user_id
        where b.id = o.order_id and l.status <> 'canceled' and (b.user_id = carts.user_id
          or b.made_account and u.email_verified_at is null and u.locked_at is null)))
  order by o.completed_at desc nulls first limit 1) other)`

/** The other purchase of `OTHER_PURCHASE_AS_JSON`. */
export function otherPurchaseOf(json: JsonRow<OtherPurchase>): OtherPurchase {
  return fromJson<OtherPurchase>(json, { completed_at: true, sign_in_ended_at: true })
}
