import type { CartId, LicenseId, SubscriptionId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { together, type Writes } from '#platform/together'
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
  await together(db, (writes) => [
    writes.run(sql`insert into invoices (id, kind, cart_id, app_id, user_id,
        license_id, order_id, subscription_id, trial_days, period_index, period_start, period_end,
        product_id, price_id, tax_quote_id, amount, tax, fee, fixed_fee, add_on_fee, commission,
        brought_by, affiliate_id, status, created_at, number, language)
      values (${invoice.id}, ${invoice.kind}, ${invoice.cart_id}, ${invoice.app_id},
        ${invoice.user_id}, ${invoice.license_id}, ${invoice.order_id}, ${invoice.subscription_id},
        ${invoice.trial_days}, ${invoice.period_index}, ${invoice.period_start},
        ${invoice.period_end}, ${invoice.product_id}, ${invoice.price_id}, ${invoice.tax_quote_id},
        ${invoice.amount}, ${invoice.tax}, ${invoice.fee}, ${invoice.fixed_fee},
        ${invoice.add_on_fee}, ${invoice.commission}, ${invoice.brought_by},
        ${invoice.affiliate_id}, ${invoice.status}, ${now}, ${number}, ${languageOf(invoice)})`),
    writes.run(sql`insert into invoice_lines (invoice_id, position, kind, amount, code)
      select ${invoice.id}, position, kind, amount, code from unnest(
          ${lines.map(({ kind }) => kind)}::text[], ${lines.map(({ amount }) => amount)}::bigint[],
          ${lines.map(({ code }) => code ?? null)}::text[])
        with ordinality as l (kind, amount, code, position)`),
  ])
}
