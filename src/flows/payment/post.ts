import type * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import type * as tax from '#domain/tax'
import type { World } from '#flows/world'
import { type AttemptId, mintId, type ProcessorId } from '#platform/ids'
import { sum, ZERO } from '#platform/money'
import { type Writes, writeTogether } from '#platform/write-together'

/**
 * What paid an invoice: a charge, or nothing if its amount is zero or below the processor's
 * minimum. The service bears an amount below the minimum.
 */
export type PaidBy = { attempt_id: AttemptId; processor_charge_id: ProcessorId } | 'nothing'

/**
 * Records the charge that paid an invoice, if any, and posts fee, add-on, commission and tax to the
 * ledger. A trial's card check moves no money and posts nothing.
 */
export async function post(
  { random, processor }: World,
  writes: Writes,
  now: Date,
  facts: {
    invoice: billing.DraftInvoice | billing.Invoice
    quote: tax.Quote
    paid_by: PaidBy
  },
): Promise<void> {
  const { invoice, quote, paid_by } = facts
  if (invoice.amount === ZERO) return
  const is_waived = paid_by === 'nothing'
  const charge = {
    id: mintId(random, 'ch'),
    invoice_id: invoice.id,
    processor: processor.name,
    amount: sum(invoice.amount, invoice.tax),
  }
  const sale = { ...invoice, invoice_id: invoice.id, state: quote.state, is_waived }
  await writeTogether(writes, (each) => [
    ...(is_waived ? [] : [payments.recordCharge(each, now, { ...charge, ...paid_by })]),
    ledger.post(each, now, mintId(random, 'txn'), ledger.sale(sale)),
  ])
}
