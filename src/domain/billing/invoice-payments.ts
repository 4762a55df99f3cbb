import { fieldsOf, rowsOf, type Sql, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import type { Invoice } from './invoices.ts'

/**
 * Records that an invoice was paid, and the period that it paid for: a late renewal pays for a
 * later one. A void invoice is paid all the same if its payment was pending.
 */
export async function payInvoice(db: Writes, now: Date, paid: PaidFor): Promise<void> {
  const row = { ...paid, paid_at: now }
  await db.run(sql`update invoices set ${paidBy(sql`invoices.user_id`)}
    from ${rowsOf([row], PAID_TYPES)} where invoices.id = row.id and invoices.status <> 'paid'`)
}

/** Like `payInvoice`, for a purchase: its buyer, license and subscription exist from now on. */
export async function payPurchase(
  db: Writes,
  now: Date,
  paid: PaidFor & Pick<Invoice, 'user_id' | 'license_id' | 'subscription_id'>,
): Promise<void> {
  const row = { ...paid, paid_at: now }
  await db.run(sql`update invoices set ${paidBy(sql`row.user_id`)},
      user_id = row.user_id, license_id = row.license_id, subscription_id = row.subscription_id
    from ${rowsOf([row], PURCHASE_TYPES)}
    where invoices.id = row.id and invoices.status <> 'paid'`)
}

type PaidFor = Pick<Invoice, 'id' | 'period_index' | 'period_start' | 'period_end' | 'is_waived'>

const PERIOD_TYPES = {
  period_index: 'int',
  period_start: 'timestamptz',
  period_end: 'timestamptz',
  is_waived: 'boolean',
} as const

const PAID_TYPES = { id: 'text', paid_at: 'timestamptz', ...PERIOD_TYPES } as const

const PURCHASE_TYPES = {
  ...PAID_TYPES,
  user_id: 'text',
  license_id: 'text',
  subscription_id: 'text',
} as const

const paidBy = (user_id: Sql) => sql`status = 'paid', paid_at = row.paid_at,
    buyer_email = (select email from users where users.id = ${user_id}),
    number = coalesce(number, case when trial_days = 0 then nextval('invoice_numbers') end),
    ${fieldsOf(PERIOD_TYPES)}`
