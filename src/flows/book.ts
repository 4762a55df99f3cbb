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

/** Writes what every paid bill leads to: the charge, and its lines in the ledger. */
export async function bookCharge(
  { random, processor }: World,
  tx: Db,
  now: Date,
  facts: {
    invoice: billing.NewInvoice
    payees: Payees
    attempt_id: string
    processor_charge_id: string
  },
): Promise<void> {
  const { invoice, payees, attempt_id, processor_charge_id } = facts
  await payments.recordCharge(tx, now, {
    id: mintId(random, 'ch'),
    attempt_id,
    order_id: invoice.order_id,
    invoice_id: invoice.id,
    processor: processor.name,
    processor_charge_id,
    amount: sum(invoice.amount, invoice.tax),
  })
  const posting = ledger.sale({ ...invoice, ...payees, invoice_id: invoice.id })
  await ledger.post(tx, now, mintId(random, 'txn'), posting)
}
