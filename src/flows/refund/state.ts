import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { appTime, type World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'

/** Who requests a refund: the app's seller, staff, or a buyer who disowned the purchase. */
export type RefundActor = ActorOf<'seller' | 'staff' | 'buyer'>

/** Why nothing is refunded. */
export type RefundRefusal =
  /** There is no such invoice, or the actor may not refund it. */
  | 'not_found'
  /** A former seller of the app sold it, and would pay the refund. */
  | 'sold_before_transfer'
  /** Nothing was charged for the invoice. */
  | 'not_paid'
  /** A seller and support may refund within sixty days. */
  | 'too_late'
  /** The charge is disputed, and the bank has not decided. */
  | 'disputed'
  /** Another refund of the charge waits for its answer. */
  | 'in_progress'
  /** A payment of the license waits for its answer; an upgrade may consume the charge as credit. */
  | 'payment_pending'
  /** All of the charge was refunded or lost in disputes. */
  | 'nothing_left'
  | 'not_an_amount'
  | 'more_than_left'
  /** Something was refunded or disputed since the amount was shown. */
  | 'changed'

/** Days in which a seller or support may refund (decision 86). */
const SELLER_DAYS = 60
/** Days in which a disowned purchase is refunded without staff. */
const DISOWNER_DAYS = 14

/** A charge that may be refunded, with its invoice and what was already refunded. */
export interface RefundState {
  invoice: billing.Invoice
  charge: payments.Charge
  app: apps.App
  now: Date
  /** What was refunded, disputed or lost. */
  reversed: billing.Reversal
  left: Cents
  is_disputed: boolean
  is_in_progress: boolean
  /** Whether a payment of the license waits for its answer. */
  is_payment_pending: boolean
}

/** The refund state of an invoice. Undefined if there is no invoice, or nothing was charged. */
export async function refundStateOf(
  world: World,
  db: Db,
  invoice_id: InvoiceId,
): Promise<RefundState | undefined> {
  const invoice = await billing.findInvoiceOf(db, { id: invoice_id, app_id: null })
  const charge = invoice && (await payments.chargeOf(db, invoice.id))
  if (!charge) return undefined
  const app = await apps.get(db, invoice.app_id)
  const refunds = await payments.refundsOf(db, charge.id)
  const disputes = await payments.disputesOf(db, charge.id)
  const refunded = payments.refundedOf(refunds)
  const reversed = billing.sumReversals(refunded, ...payments.disputedOf(disputes))
  return {
    invoice,
    charge,
    app,
    now: appTime(world, app),
    reversed,
    left: cents(charge.amount - reversed.amount),
    is_disputed: disputes.some(({ status }) => status === 'open'),
    is_in_progress: refunds.some(({ status }) => status === 'open'),
    is_payment_pending: await payments.isPaymentPendingForLicense(db, invoice.license_id),
  }
}

/**
 * Days in which the actor may refund: a member of the seller who sold it, the charged account, or
 * staff. For everyone else, why they may not.
 */
export async function daysToRefund(
  db: Db,
  { kind, user_id }: RefundActor,
  { app, invoice }: Pick<RefundState, 'app' | 'invoice'>,
): Promise<number | RefundRefusal> {
  if (kind === 'seller') {
    const member = await sellers.memberOf(db, { seller_id: app.seller_id, user_id })
    if (!member || !sellers.isAllowed(member.role, 'support')) return 'not_found'
    return invoice.seller_id === app.seller_id ? SELLER_DAYS : 'sold_before_transfer'
  }
  if (kind === 'buyer') return invoice.user_id === user_id ? DISOWNER_DAYS : 'not_found'
  const role = (await identity.findUser(db, user_id))?.staff_role
  if (!role || !identity.isPermitted(role, 'refunds')) return 'not_found'
  return role === 'support' ? SELLER_DAYS : Infinity
}

/**
 * Why an amount is not refundable now by an actor with so many days; undefined: it is. A buyer who
 * never bought does not wait for a pending payment: with everything refunded the license ends, and
 * then that payment is refunded too.
 */
export function refusalOf(
  state: RefundState,
  { actor, days, amount }: { actor: RefundActor; days: number; amount: number },
): RefundRefusal | undefined {
  const { invoice, now, left } = state
  if (days !== Infinity && now > addDays(invoice.paid_at!, days)) return 'too_late'
  if (state.is_disputed) return 'disputed'
  if (state.is_in_progress) return 'in_progress'
  if (left <= 0) return 'nothing_left'
  if (state.is_payment_pending && actor.kind !== 'buyer') return 'payment_pending'
  if (!Number.isSafeInteger(amount) || amount <= 0) return 'not_an_amount'
  return amount > left ? 'more_than_left' : undefined
}
