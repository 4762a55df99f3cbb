import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as tax from '#domain/tax'
import { type LockedLicense, lockLicense } from '#flows/locked-license'
import { type ChargeOutcome, chargeAttempt } from '#flows/payment'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import type { LicenseId, PriceId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'
import { closeChallenge } from './challenge.ts'
import { type Due, type OpenedPayment, openPayment } from './invoice.ts'
import {
  decide,
  firstEnd,
  isAsShown,
  isTaxSame,
  type Pinned,
  readAgreement,
} from './plan-change-quote.ts'
import { runningDiscount } from './running-discount.ts'

/** The outcome of a plan change that was agreed to. */
export type PlanChanged =
  | ChargeOutcome
  | { outcome: 'plan_changed' | 'scheduled' }
  /** Something changed since the quote was shown, so a new one must be shown. */
  | { outcome: 'changed' }

/** Makes the agreed plan change: charges the difference, or schedules it for the period's end. */
export async function changePlan(
  world: World,
  actor: ActorOf<'buyer'>,
  facts: { license_id: LicenseId; agreement: string; return_url: string },
): Promise<PlanChanged> {
  const { license_id, return_url } = facts
  const pinned = readAgreement(world, facts.agreement)
  if (pinned?.license_id !== license_id) return { outcome: 'changed' }
  let started = await startChange(world, actor, { license_id, pinned })
  if ('payment' in started && started.payment.outcome === 'processing') {
    // The bank may still ask about an earlier upgrade, at another amount: this one counts.
    const closed = await closeChallenge(world, license_id)
    if (!closed || closed.outcome === 'processing') return started.payment
    started = await startChange(world, actor, { license_id, pinned })
  }
  if ('end' in started) return started.end
  const { app, payment } = started
  if (payment.outcome === 'settled') return { outcome: 'plan_changed' }
  if (payment.outcome === 'processing') return payment
  return await chargeAttempt(world, { attempt: payment.attempt, app, return_url })
}

/** Makes a plan change that costs nothing now, or opens its payment. */
async function startChange(
  world: World,
  actor: ActorOf<'buyer'>,
  { license_id, pinned }: { license_id: LicenseId; pinned: Pinned },
): Promise<StartedChange> {
  return await world.db.tx(async (tx): Promise<StartedChange> => {
    const locked = await lockLicense(world, tx, license_id)
    const { subscription, app, now } = locked
    // Locked, so that the seller cannot remove the plan before this change is recorded.
    const price = await catalog.lockLivePrice(tx, pinned.price_id)
    const change = price && (await decide({ ...world, db: tx }, locked, price, new Date(pinned.at)))
    if (!price || !change || !subscription || !isAsShown(locked, { price, change }, pinned)) {
      return { end: { outcome: 'changed' } }
    }
    const { tax_quote_id } = pinned
    const quote = tax_quote_id === null ? undefined : await tax.getQuote(tx, tax_quote_id)
    if (quote && !isTaxSame(world, locked, quote)) return { end: { outcome: 'changed' } }
    const changing = { locked, subscription, price, change, pinned }
    const started: StartedChange =
      change.when === 'now'
        ? { payment: await openUpgradePayment(world, tx, changing, change.credit, quote!), app }
        : { end: await changeFree(tx, changing) }
    if ('payment' in started && started.payment.outcome === 'processing') return started
    const detail = { from: subscription.price_id, to: price.id, when: change.when }
    const action = 'license.plan_change'
    await audit(tx, now, { actor, action, subject: license_id, detail })
    return started
  })
}

/** A plan change that is done, or one whose difference must be charged. */
type StartedChange = { end: PlanChanged } | { payment: OpenedPayment; app: LockedLicense['app'] }

interface Changing {
  locked: LockedLicense
  subscription: billing.RunningSubscription
  price: catalog.ProductPrice
  change: billing.PlanChange
  pinned: Pinned
}

/** A plan change for which nothing is due now: within a trial, or at the period's end. */
async function changeFree(
  tx: Db,
  { locked, subscription, price, change }: Changing,
): Promise<PlanChanged> {
  const { license, now } = locked
  if (change.when !== 'in_trial') {
    const plan = { pending_price_id: price.id, pending_amount: price.amount }
    await billing.changeSubscription(tx, subscription, plan)
    return { outcome: 'scheduled' }
  }
  const { license_id } = license
  const { product_id, amount, frequency, id: price_id } = price
  const { trial_end: period_end } = change
  const step = {
    license_id,
    trigger: 'plan_changed',
    to: 'trialing',
    product_id,
    period_end,
  } as const
  await licensing.transition(tx, now, step)
  const isSame = period_end.getTime() === subscription.period_end.getTime()
  if (!isSame && !subscription.auto_renew) {
    await licensing.setEndDay(tx, { license_id, canceled_at: period_end })
  }
  const next_at = billing.reminderOrEnd(now, 'trialing', { period_end, frequency })
  const end = { period_end, anchor: period_end, next_at }
  await billing.changeSubscription(tx, subscription, {
    price_id,
    amount,
    ...(isSame ? {} : end),
    ...billing.NO_PLAN_CHANGE,
  })
  return { outcome: 'plan_changed' }
}

/** Invoices the difference that is due for an immediate plan change. */
async function openUpgradePayment(
  world: World,
  tx: Db,
  changing: Changing,
  credit: Cents,
  quote: tax.Quote,
): Promise<OpenedPayment> {
  const { locked, subscription, price, change, pinned } = changing
  const { app, license, now } = locked
  const at = new Date(pinned.at)
  const lines = billing.priceLines(price.amount, await runningDiscount(tx, subscription, price))
  const credited: billing.InvoiceLine = { kind: 'credit', amount: cents(-credit) }
  const due: Due = {
    kind: 'upgrade',
    period: {
      period_index: subscription.period_index + 1,
      period_start: at,
      period_end: firstEnd({ ...locked, now: at }, price, change),
    },
    price,
    lines: credit > ZERO ? [...lines, credited] : lines,
    quote,
  }
  return await openPayment(world, tx, now, {
    subscription,
    license,
    app,
    due,
    requested_by: 'buyer',
  })
}

/**
 * Cancels a scheduled plan change, to `price_id` if that is known. False once the period of the new
 * plan was paid or is being paid, as agreed before.
 */
export async function cancelPlanChange(
  world: World,
  actor: ActorOf<'buyer'>,
  license_id: LicenseId,
  price_id?: PriceId,
): Promise<boolean> {
  return await world.db.tx(async (tx) => {
    const { subscription, now } = await lockLicense(world, tx, license_id)
    if (!subscription?.pending_price_id) {
      if (price_id === undefined) return true
      // A price that is paid once ended the subscription.
      return subscription !== undefined && subscription.price_id !== price_id
    }
    if (await billing.openInvoiceOf(tx, subscription.id)) return false
    await billing.changeSubscription(tx, subscription, billing.NO_PLAN_CHANGE)
    const action = 'license.plan_change_withdrawn'
    await audit(tx, now, {
      actor,
      action,
      subject: license_id,
    })
    return true
  })
}
