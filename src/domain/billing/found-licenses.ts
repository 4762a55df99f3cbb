import type { Db } from '#platform/db'
import type { InvoiceId, LicenseId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** A license with its invoices, for staff who investigate a case. */
export interface FoundLicense {
  license_id: LicenseId
  status: string
  paused_for: string | null
  app_name: string
  product_name: string
  email: string
  /** Its paid invoices, tax included, latest first. */
  invoices: { id: InvoiceId; number: number; amount: Cents }[]
}

/** What a search by staff found. */
export interface FoundLicenses {
  /** The latest ones, at most `MOST_FOUND`. */
  licenses: FoundLicense[]
  has_more: boolean
}

/** The most licenses that a search by staff shows. */
const MOST_FOUND = 20

/**
 * The latest licenses by their id, an order's or invoice's id, an invoice number, or a buyer's
 * email.
 */
export async function findLicenses(
  db: Db,
  query: { id: string; email_normalized: string | null; number: number | null },
): Promise<FoundLicenses> {
  const { id, email_normalized, number } = query
  const found = await db.rows<FoundLicense>(sql`
    select l.id as license_id, l.status, l.paused_for, a.name as app_name, p.name as product_name,
      u.email, coalesce(b.invoices, '[]') as invoices
    from licenses l join apps a on a.id = l.app_id join products p on p.id = l.product_id
      join users u on u.id = l.user_id
      left join lateral (select jsonb_agg(jsonb_build_object('id', i.id, 'number', i.number,
          'amount', i.amount + i.tax) order by i.number desc) as invoices
        from invoices i where i.license_id = l.id and i.status = 'paid'
          and i.number is not null) b on true
    where l.status <> 'preview' and l.id in (
      select id from licenses where id = ${id}
      union select f.id from licenses f join users w on w.id = f.user_id
        where w.email_normalized = ${email_normalized}
      union select license_id from orders where id = ${id}
      union select license_id from invoices where id = ${id}
      union select license_id from invoices where number = ${number})
    order by l.created_at desc, l.id limit ${MOST_FOUND + 1}`)
  return { licenses: found.slice(0, MOST_FOUND), has_more: found.length > MOST_FOUND }
}
