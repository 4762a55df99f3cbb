import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import type { InvoiceId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'
import { creditReversals, creditTotal } from './credit.ts'
import {
  daysToRefund,
  type RefundActor,
  type RefundRefusal,
  refundStateOf,
  refusalOf,
} from './state.ts'

/** What is refunded, and what it costs the seller. */
interface ReversalWithCost {
  /** The amount refunded, and its parts: tax, fee, add-on and commission. */
  reversal: billing.Reversal
  /** The refunded price less the fee that is returned, in cents. */
  cost: Cents
}

/** What a refund would do, to the cent. */
export interface RefundQuote extends ReversalWithCost {
  /** What is left of the charge, tax included. */
  left: Cents
  /** The part of the fee that the service keeps. */
  kept: Cents
  /** Whether it ends the license at once. */
  ends_license: boolean
  /**
   * The credit of earlier charges that a fully refunded upgrade consumed: it may be refunded as
   * well. Undefined if there is none.
   */
  credit: ReversalWithCost | undefined
}

/** Quotes a refund: without an amount, of everything that is left. */
export async function quoteRefund(
  world: World,
  actor: RefundActor,
  facts: { invoice_id: InvoiceId; amount?: Cents },
): Promise<{ refusal: RefundRefusal; left: Cents | undefined } | RefundQuote> {
  const { db } = world
  const state = await refundStateOf(world, db, facts.invoice_id)
  if (!state) return { refusal: 'not_paid', left: undefined }
  const { invoice, left, reversed } = state
  const days = await daysToRefund(db, actor, state)
  if (typeof days === 'string') return { refusal: days, left: undefined }
  const amount = facts.amount ?? left
  const refusal = refusalOf(state, { actor, days, amount })
  if (refusal) return { refusal, left }
  const reversal = billing.reversalOf(invoice, reversed, amount)
  const after = billing.sumReversals(reversed, reversal)
  const license = await licensing.getLicense(db, invoice.license_id)
  const last = await billing.lastChargedInvoice(db, invoice.license_id)
  const isWhole = amount === left
  const credit = creditTotal(isWhole ? await creditReversals(world, db, invoice) : [])
  return {
    left,
    ...withCost(reversal),
    kept: cents(invoice.fee - after.fee),
    ends_license: isWhole && last?.id === invoice.id && license.status !== 'canceled',
    credit: credit.amount > ZERO ? withCost(credit) : undefined,
  }
}

function withCost(reversal: billing.Reversal): ReversalWithCost {
  return { reversal, cost: billing.sellerCost(reversal) }
}
