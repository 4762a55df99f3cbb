import type { CartId, LicenseId, SubscriptionId, UserId } from '#platform/ids'
import { columnsOf, rowsOf, sql } from '#platform/sql'
import { type Writes, writeTogether } from '#platform/write-together'
import { languageOf } from './carts.ts'
import { linesTotal } from './invoice-lines.ts'
import type { InvoiceFacts, InvoiceKind, NewDraft, NewInvoice } from './invoices.ts'

/** Records a purchase's invoice, which waits for its first charge; `now` is the app's time. */
export async function addDraft(db: Writes, now: Date, draft: NewDraft): Promise<void> {
  const holder = { user_id: null, license_id: null, subscription_id: null }
  await insert(db, now, { ...draft, ...holder, status: 'draft' })
}

/** Issues an invoice of a subscription, which waits for payment; `now` is the app's time. */
export async function addInvoice(db: Writes, now: Date, invoice: NewInvoice): Promise<void> {
  await insert(db, now, { ...invoice, cart_id: null, trial_days: 0, status: 'open' })
}

interface InvoiceRow extends InvoiceFacts {
  kind: InvoiceKind
  cart_id: CartId | null
  trial_days: number
  user_id: UserId | null
  license_id: LicenseId | null
  subscription_id: SubscriptionId | null
  status: 'draft' | 'open'
}

async function insert(db: Writes, now: Date, invoice: InvoiceRow): Promise<void> {
  const { lines } = invoice
  if (linesTotal(lines) !== invoice.amount) {
    throw new RangeError(`the lines of ${invoice.id} do not add up to ${invoice.amount}`)
  }
  const number = invoice.status === 'draft' ? sql`null` : sql`nextval('invoice_numbers')`
  const language = languageOf({ cart_id: sql`row.cart_id`, user_id: sql`row.user_id` })
  const columns = columnsOf(INVOICE_TYPES)
  const row = { ...invoice, created_at: now }
  const numbered = lines.map((line, index) => ({
    invoice_id: invoice.id,
    position: index + 1,
    ...line,
  }))
  await writeTogether(db, (writes) => [
    writes.run(sql`insert into invoices (${columns}, number, language)
      select ${columns}, ${number}, ${language} from ${rowsOf([row], INVOICE_TYPES)}`),
    writes.run(sql`insert into invoice_lines (${columnsOf(LINE_TYPES)})
      select * from ${rowsOf(numbered, LINE_TYPES)}`),
  ])
}

const INVOICE_TYPES = {
  id: 'text',
  kind: 'text',
  cart_id: 'text',
  app_id: 'text',
  user_id: 'text',
  license_id: 'text',
  order_id: 'text',
  subscription_id: 'text',
  trial_days: 'int',
  period_index: 'int',
  period_start: 'timestamptz',
  period_end: 'timestamptz',
  product_id: 'text',
  price_id: 'text',
  tax_quote_id: 'text',
  amount: 'bigint',
  tax: 'bigint',
  fee: 'bigint',
  fixed_fee: 'bigint',
  add_on_fee: 'bigint',
  commission: 'bigint',
  brought_by: 'text',
  affiliate_id: 'text',
  status: 'text',
  created_at: 'timestamptz',
} as const

const LINE_TYPES = {
  invoice_id: 'text',
  position: 'int',
  kind: 'text',
  amount: 'bigint',
  code: 'text',
} as const
