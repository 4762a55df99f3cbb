import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { emailsAt } from './accounts-oracle.ts'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'

interface ImportedInvoice {
  user_id: UserId
  email_normalized: string
  imported_at: Date
  amount: number
  is_first: boolean
  period_end: Date | null
  paid_at: Date
}

/**
 * Compares the imported licenses that were continued with the day to which their buyers had paid.
 */
export async function importFaults({ harness, record }: Fixture): Promise<Broken[]> {
  const invoices = await harness.db.rows<ImportedInvoice>(sql`select i.user_id, u.email_normalized,
      (select created_at from licenses where id = i.license_id) as imported_at, i.amount,
      c.continues_license_id is not null as is_first, i.period_end, i.paid_at
    from license_history h join invoices i on i.license_id = h.license_id and i.status = 'paid'
      join users u on u.id = i.user_id left join carts c on c.id = i.cart_id
    where h.trigger = 'continued' order by i.paid_at, i.number`)
  const facts = invoices.filter((invoice) => {
    const { imported_at, amount, is_first, period_end, paid_at } = invoice
    const emails = emailsAt({ record }, invoice, imported_at)
    const found = record.imports.find(({ email_normalized }) => emails.has(email_normalized))
    const end = found!.ends_at.getTime()
    if (is_first) return amount !== 0 || period_end?.getTime() !== end
    return paid_at.getTime() < end
  })
  const rule = 'a continued license is charged from the day to which its buyer had paid'
  return facts.length > 0 ? [{ rule, facts }] : []
}
