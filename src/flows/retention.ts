import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import { PLATFORM_SWEEPS, sweep } from '#platform/sweep'

// In this order: an attempt refers to its invoice, that to its cart, and both to a quote.
const SWEEPS = [
  ...payments.PAYMENT_SWEEPS,
  billing.DRAFT_SWEEP,
  billing.CART_SWEEP,
  tax.QUOTE_SWEEP,
  licensing.USE_SWEEP,
  sellers.INVITATION_SWEEP,
  identity.EMAIL_CHANGE_SWEEP,
  ...PLATFORM_SWEEPS,
]

/**
 * Deletes what has reached the end of its retention (docs/retention.md). Any number of processes
 * may run it.
 */
export async function keepRetention({ db, clock, log, stopping }: World): Promise<void> {
  const deleted = await sweep(db, clock.now(), SWEEPS, stopping)
  const rows = Object.entries(deleted).filter(([, count]) => count > 0)
  if (rows.length > 0) log.info({ deleted: Object.fromEntries(rows) }, 'retention applied')
}
