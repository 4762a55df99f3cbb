import * as billing from '#domain/billing'
import { creditSources } from '#flows/period-credit'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { cents, share } from '#platform/money'
import { type RefundState, refundStateOf } from './state.ts'

/** What a refund reverses of an earlier charge that an upgrade consumed as credit. */
export interface CreditReversal {
  state: RefundState
  reversal: billing.Reversal
}

/**
 * What would be refunded of the charges whose unused part an upgrade credited, tax included
 * (decision 28). The buyer paid it for the period that the upgrade began, so it is refunded
 * like the upgrade, and no longer once a later payment was charged. Charges that are disputed or
 * wait for another refund are left out.
 */
export async function creditReversals(
  world: World,
  db: Db,
  upgrade: billing.Invoice,
): Promise<CreditReversal[]> {
  const last = await billing.lastChargedInvoice(db, upgrade.license_id)
  if (last?.id !== upgrade.id) return []
  const reversals: CreditReversal[] = []
  for (const { invoice, amount } of await creditSources(db, upgrade)) {
    const state = await refundStateOf(world, db, invoice.id)
    if (!state || state.is_disputed || state.is_in_progress) continue
    // A former seller's part is refunded by staff, on that invoice's own page.
    if (state.invoice.seller_id !== upgrade.seller_id) continue
    const { charge, reversed, left } = state
    const total = cents(Math.min(left, share(charge.amount, amount, invoice.amount)))
    if (total > 0) reversals.push({ state, reversal: billing.reversalOf(invoice, reversed, total) })
  }
  return reversals
}

/** The sum over several charges. */
export function creditTotal(reversals: CreditReversal[]): billing.Reversal {
  return billing.sumReversals(...reversals.map(({ reversal }) => reversal))
}
