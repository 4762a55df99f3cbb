import type * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { sum } from '#platform/money'

/** Who has a part in a bill beside the service. */
export interface Payees {
  seller_id: string
  /** The state that its tax is owed to. */
  state: string
}

/** What paid an invoice: a charge, or the service, which waived what is too little to charge. */
export type PaidBy = { attempt_id: string; processor_charge_id: string } | 'waived'

/** Writes what every paid invoice leads to: the charge, if any, and its lines in the ledger. */
export async function bookPayment(
  { random, processor }: World,
  tx: Db,
  now: Date,
  facts: {
    invoice: billing.NewInvoice
    payees: Payees
    paid_by: PaidBy
  },
): Promise<void> {
  const { invoice, payees, paid_by } = facts
  if (paid_by !== 'waived') {
    await payments.recordCharge(tx, now, {
      ...paid_by,
      id: mintId(random, 'ch'),
      order_id: invoice.order_id,
      invoice_id: invoice.id,
      processor: processor.name,
      amount: sum(invoice.amount, invoice.tax),
    })
  }
  const is_waived = paid_by === 'waived'
  const posting = ledger.sale({ ...invoice, ...payees, invoice_id: invoice.id, is_waived })
  await ledger.post(tx, now, mintId(random, 'txn'), posting)
}
