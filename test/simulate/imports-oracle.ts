import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'

interface ImportedInvoice {
  email_normalized: string
  amount: number
  is_first: boolean
  period_end: Date | null
  paid_at: Date
}

/**
 * Compares the imported licenses that were continued with the day to which their buyers had paid.
 */
export async function importFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const invoices = await harness.db.rows<ImportedInvoice>(sql`select u.email_normalized, i.amount,
      c.continues_license_id is not null as is_first, i.period_end, i.paid_at
    from license_history h join invoices i on i.license_id = h.license_id and i.status = 'paid'
      join users u on u.id = i.user_id left join carts c on c.id = i.cart_id
    where h.trigger = 'continued' order by i.paid_at, i.number`)
  const ends = new Map(
    record.imports.map(({ person, ends_at }) => [person.email_normalized, ends_at.getTime()]),
  )
  const facts = invoices.filter(({ email_normalized, amount, is_first, period_end, paid_at }) => {
    const end = ends.get(email_normalized)!
    if (is_first) return amount !== 0 || period_end?.getTime() !== end
    return paid_at.getTime() < end
  })
  const rule = 'a continued license is charged from the day to which its buyer had paid'
  return facts.length > 0 ? [{ rule, facts }] : []
}
