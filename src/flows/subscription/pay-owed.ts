import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type { TaxAddress } from '#domain/tax'
import { type LockedLicense, lockLicense } from '#flows/locked-license'
import { type ChargeOutcome, chargeAttempt } from '#flows/payment'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { type LicenseId, mintId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { closeChallenge } from './challenge.ts'
import { type Due, type OpenedPayment, openPayment } from './invoice.ts'
import { isStillDue, quoteNextPeriod } from './next-due.ts'

/** The outcome of paying. Nothing may be owed, or another attempt may be pending. */
export type Paid =
  | ChargeOutcome
  | { outcome: 'nothing_owed' }
  /** The plan, amount or address changed during the request: the amount must be shown again. */
  | { outcome: 'changed' }

/**
 * Charges what a license owes now, at the request of its owner or of staff; scheduled retries stay
 * as they are. A license that its owner had paused starts a new period, of the plan to which they
 * agreed to change at the end of the last one.
 */
export async function payOwed(
  world: World,
  facts: {
    license_id: LicenseId
    requested_by: 'buyer' | 'staff'
    return_url: string
    /** The amount before tax that the page showed, if it is to be the one that is charged. */
    amount?: Cents
  },
): Promise<Paid> {
  const { license_id, requested_by } = facts
  const resumption = await resumptionOf(world, license_id)
  const done = await world.db.tx(async (tx): Promise<PaymentBegun> => {
    const { license, subscription, app, now } = await lockLicense(world, tx, license_id)
    if (!subscription || !isPayable(license)) return { end: { outcome: 'nothing_owed' } }
    // A suspended license does not resume because its owner ends their own pause.
    const isDisputed = (await payments.countOpenDisputes(tx, license_id)) > 0
    if (license.status === 'paused' && isDisputed) return { end: { outcome: 'nothing_owed' } }
    const open = await billing.openInvoiceOf(tx, subscription.id)
    if (!open && !resumption) return { end: { outcome: 'nothing_owed' } }
    const due = open ? undefined : resumption?.due
    if (due && !(await isStillDue(tx, resumption!.before, { subscription, due }))) {
      return { end: { outcome: 'changed' } }
    }
    const amount = open?.amount ?? billing.linesTotal(due!.lines)
    if (facts.amount !== undefined && facts.amount !== amount) {
      return { end: { outcome: 'changed' } }
    }
    const owed = { subscription, license, app, open, due, requested_by }
    return { app, payment: await openPayment(world, tx, now, owed) }
  })
  if ('end' in done) return done.end
  const { app, payment } = done
  if (payment.outcome === 'settled') return { outcome: 'paid' }
  if (payment.outcome === 'processing') return payment
  const { attempt } = payment
  return await chargeAttempt(world, { attempt, app, return_url: facts.return_url })
}

/** A payment that needs no charge, or one that was recorded. */
type PaymentBegun = { end: Paid } | { payment: OpenedPayment; app: LockedLicense['app'] }

/** Whether a license can be paid for now: its renewal failed, or its owner had paused it. */
function isPayable({ status, paused_for }: licensing.PausableLicense): boolean {
  return licensing.isInDunning(status) || paused_for === 'buyer'
}

/** The cost of resuming a paused license, and the subscription it was computed from. */
interface Resumption {
  before: billing.Subscription
  due: Due
}

/** The next period of a paused license; undefined if its owner did not pause it. */
async function resumptionOf(world: World, license_id: LicenseId): Promise<Resumption | undefined> {
  const { db } = world
  const locked = await db.tx((tx) => lockLicense(world, tx, license_id))
  const { license, subscription, now } = locked
  if (!subscription || license.paused_for !== 'buyer') return undefined
  const price = await catalog.getPrice(db, subscription.price_id)
  const due = await quoteNextPeriod(world, { subscription, price, now }, 'now')
  return { before: subscription, due }
}

/** Replaces the card of a subscription, and charges at once what is owed (decision 27). */
export async function changeCard(
  world: World,
  actor: ActorOf<'buyer'>,
  facts: {
    license_id: LicenseId
    card: payments.Card
    return_url: string
    /** The buyer's new address, for the tax on later charges. */
    address?: TaxAddress
  },
): Promise<Paid> {
  const { license_id, card, return_url, address } = facts
  await world.db.tx(async (tx) => {
    const { subscription, now } = await lockLicense(world, tx, license_id)
    if (!subscription) return
    const card_id = mintId(world.random, 'card')
    await payments.addCard(tx, now, { id: card_id, user_id: actor.user_id, card })
    const change = { ...address, card_id, last_decline: null }
    await billing.changeSubscription(tx, subscription, change)
  })
  const { status } = await licensing.getLicense(world.db, license_id)
  if (!licensing.isInDunning(status)) return { outcome: 'nothing_owed' }
  const owed = { license_id, requested_by: 'buyer', return_url } as const
  const paid = await payOwed(world, owed)
  if (paid.outcome !== 'processing') return paid
  // The bank of the replaced card may still ask: the new one pays.
  const closed = await closeChallenge(world, license_id, { card })
  if (closed?.outcome === 'paid') return closed
  return closed && closed.outcome !== 'processing' ? await payOwed(world, owed) : paid
}
