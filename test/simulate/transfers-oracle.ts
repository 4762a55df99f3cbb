import type { AppId, InvoiceId, RefundId, SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'
import { valuesAt } from './recorded-change.ts'

/** Something that a seller sold, or a refund that a seller made. */
interface OfSeller {
  id: AppId | InvoiceId | RefundId
  app_id: AppId
  seller_id: SellerId
  at: Date
}

/**
 * Compares whose app each app is, who sold what, and who refunded it, with the answers to sellers
 * who transferred apps.
 */
export async function transferFaults(fixture: Fixture): Promise<Broken[]> {
  const { db } = fixture.harness
  const now = fixture.world.clock.now()
  const owned = await db.rows<OfSeller>(sql`select id, id as app_id, seller_id,
      ${now}::timestamptz as at from apps
    union all select id, app_id, seller_id, created_at from invoices`)
  // A member who refunds does so for the seller who sold it, while the app is that seller's.
  const refunded = await db.rows<OfSeller>(sql`select r.id, i.app_id, i.seller_id,
      r.created_at as at from refunds r
      join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id
      join seller_members m on m.user_id = r.requested_by`)
  const wrong = (rows: readonly OfSeller[]) => rows.filter((row) => !isPossible(fixture, row))
  return [
    { rule: 'an app, and what it sells, is of the seller who accepted it', facts: wrong(owned) },
    { rule: 'a seller refunds what it sold while it has the app', facts: wrong(refunded) },
  ].filter(({ facts }) => facts.length > 0)
}

function isPossible({ record, shops }: Fixture, { app_id, seller_id, at }: OfSeller): boolean {
  // Without a transfer, it is the app's first seller.
  const otherwise = shops.find(({ id }) => id === app_id)!.seller_id
  return valuesAt(record.sellers, { subject: app_id, at, otherwise }).has(seller_id)
}
