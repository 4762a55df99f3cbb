import type { Db } from '#platform/db'
import type { SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { PENDING } from './attempts.ts'

/** Whether a bank is deciding a dispute of a payment of this account. */
export async function isDisputing(db: Db, user_id: UserId): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (
    select 1 from disputes d join charges c on c.id = d.charge_id
      join invoices i on i.id = c.invoice_id
    where i.user_id = ${user_id} and d.status in ('inquiry', 'open')) as found`)
  return found
}

/** Whether a payment for an app of a seller is pending. */
export async function isPaymentPendingForSeller(db: Db, seller_id: SellerId): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (
    select 1 from apps a join attempts t on t.app_id = a.id
    where a.seller_id = ${seller_id} and t.${PENDING}) as found`)
  return found
}

/**
 * Replaces a deleted account's emails in its attempts, and forgets how to charge its cards. The
 * attempts on its own invoices and carts may have a former email, which another account has now.
 */
export async function anonymizePayments(
  db: Db,
  account: { user_id: UserId; emails: string[]; address: string },
): Promise<void> {
  const { user_id, emails, address } = account
  await db.run(sql`update attempts set email_normalized = ${address}
    where email_normalized = any(${emails})`)
  await db.run(sql`update attempts set email_normalized = ${address}
    where invoice_id in (select id from invoices where user_id = ${user_id}
      union select i.id from carts c join invoices i on i.cart_id = c.id
        where c.user_id = ${user_id} and i.user_id is null)`)
  await db.run(sql`update cards set token = 'deleted' where user_id = ${user_id}`)
}
