import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as discounts from '#domain/discounts'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { lockLicense, suspend } from '#flows/locked-license'
import { lostCredit, receivedTwice } from '#flows/period-credit'
import type { World } from '#flows/world'
import { raiseAlarm } from '#platform/alarms'
import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import { type LicenseId, mintId } from '#platform/ids'
import { sum, ZERO } from '#platform/money'
import { type Writes, writeTogether } from '#platform/write-together'

/** A renewal or an upgrade that is being paid. */
interface PaidRenewal {
  invoice: billing.Invoice
  subscription: billing.RunningSubscription
  license: licensing.PausableLicense
  is_waived: boolean
}

/** A paid renewal, with the period that it pays for. */
export interface Extension extends PaidRenewal {
  period: ExtendedPeriod
}

/** Finds the period that a paid renewal pays for. */
export async function extensionOf(tx: Db, now: Date, paid: PaidRenewal): Promise<Extension> {
  return { ...paid, period: await periodPaid(tx, now, paid) }
}

/** Moves a subscription and its license into the period that an invoice paid for. */
export async function extend(writes: Writes, now: Date, extension: Extension): Promise<void> {
  const { invoice, subscription, is_waived, license } = extension
  const { cycle, frequency, ...period } = extension.period
  const pay = (each: Writes) =>
    billing.payInvoice(each, now, { id: invoice.id, ...period, is_waived })
  if (license.status === 'canceled') return await pay(writes)
  const { license_id } = license
  const { period_end } = period
  const step = { license_id, period_end, product_id: invoice.product_id }
  const [first] = stepsOf(invoice, license)
  const isPaused = isSuspended(license)
  const change = {
    ...cycle,
    price_id: invoice.price_id,
    amount: billing.priceOf(invoice),
    ...(billing.discountOn(invoice) ? discounts.afterPeriods(subscription, 1) : {}),
    period_index: period.period_index,
    ...(period_end ? { period_end } : { ended_at: now }),
    next_at:
      isPaused || !period_end
        ? null
        : billing.reminderOrEnd(now, 'active', { period_end, frequency }),
    past_due_since: null,
    retries: 0,
    last_decline: null,
    ...billing.NO_PLAN_CHANGE,
  }
  await writeTogether(writes, (each) => [
    pay(each),
    isPaused
      ? // Suspended while the payment was pending: it resumes as paid.
        licensing.changeInterrupted(each, { ...step, paused_from: statusPaid(invoice) })
      : licensing.transitionLocked(each, now, license, { ...step, ...first! }),
    billing.changeSubscription(each, subscription, change),
  ])
}

/** What follows `extend` in the same transaction: it changes a row that `extend` has written. */
export async function afterExtending(
  world: World,
  tx: Db,
  now: Date,
  { invoice, subscription, license, period }: Extension,
): Promise<void> {
  if (license.status === 'canceled') return await refundInFull(world, tx, now, invoice)
  if (invoice.kind === 'upgrade' && invoice.status === 'void') {
    await alertLostCredit(world, tx, now, invoice)
  }
  const { license_id } = license
  const { period_end } = period
  const [, ...others] = isSuspended(license) ? [] : stepsOf(invoice, license)
  for (const each of others) {
    const { product_id } = invoice
    await licensing.transition(tx, now, { license_id, period_end, product_id, ...each })
  }
  // Auto-renew is off: the day on which the license ends has moved too, or there is none.
  if (!subscription.auto_renew) {
    await licensing.setEndDay(tx, { license_id, canceled_at: period_end })
  }
  if (license.paused_for === 'buyer') await suspendDisputed(world, tx, license_id)
}

/**
 * An upgrade was paid before it could be canceled for a refund of its credit at the processor. The
 * buyer paid what was agreed, so it counts, and only people can decide who bears the rest.
 */
async function alertLostCredit(
  { random }: World,
  tx: Db,
  now: Date,
  upgrade: billing.Invoice,
): Promise<void> {
  const lost = await lostCredit(tx, upgrade, (await billing.paidBefore(tx, upgrade))!)
  if (lost === ZERO) return
  await raiseAlarm(tx, random, now, {
    kind: 'refund_made_outside',
    subject: upgrade.id,
    href: `/admin/sales/${upgrade.id}/`,
    message:
      'An upgrade was paid while part of its credit was refunded at the payment processor: ' +
      receivedTwice(lost),
  })
}

/**
 * Suspends a license whose owner's pause has ended, if a charge of it was disputed while that was
 * being paid: a dispute leaves a license alone that is paused already.
 */
async function suspendDisputed(world: World, tx: Db, license_id: LicenseId): Promise<void> {
  if ((await payments.countOpenDisputes(tx, license_id)) === 0) return
  const locked = await lockLicense(world, tx, license_id)
  await suspend(tx, locked, { trigger: 'disputed', paused_for: 'dispute' })
}

/** Whether a license is suspended by staff or for a dispute, not paused by the buyer. */
function isSuspended({ status, paused_for }: licensing.PausableLicense): boolean {
  return status === 'paused' && paused_for !== 'buyer'
}

interface ExtendedPeriod extends Pick<billing.Invoice, 'period_start' | 'period_end'> {
  cycle: Omit<billing.BillingCycle, 'frequency'>
  period_index: number
  frequency: Frequency | null
}

/** The paid period, and the billing cycle that follows it. */
async function periodPaid(tx: Db, now: Date, paid: PaidRenewal): Promise<ExtendedPeriod> {
  const { invoice, subscription } = paid
  const period_index = invoice.period_index!
  const isSamePlan = invoice.price_id === subscription.price_id
  const { frequency } = isSamePlan ? subscription : await catalog.getPrice(tx, invoice.price_id)
  const cycle = cyclePaid(now, paid)
  const { period_start, period_end } = invoice
  // An upgrade was agreed to and charged for the period that it shows.
  if (frequency === null || invoice.kind === 'upgrade') {
    return { cycle, period_index, period_start, period_end, frequency }
  }
  const period = billing.periodPaid({ ...cycle, frequency }, period_index, now)
  const { anchor, anchor_index } = period
  return {
    cycle: { anchor, anchor_index },
    period_index,
    period_start: period.period_start,
    period_end: period.period_end,
    frequency,
  }
}

/** A plan change and the end of a pause begin a billing cycle of their own. */
function cyclePaid(
  now: Date,
  { invoice, subscription, license }: PaidRenewal,
): Omit<billing.BillingCycle, 'frequency'> {
  const { anchor, anchor_index, period_end, period_index } = subscription
  const before = invoice.period_index! - 1
  // Its own period, also where a pause began while it was being paid.
  if (invoice.kind === 'upgrade') return { anchor: invoice.period_start, anchor_index: before }
  // The invoice may be older, if the bank asked the buyer first: the time since then is free.
  if (license.paused_for === 'buyer') return { anchor: now, anchor_index: before }
  // Counted from the end of the old plan, as invoiced, even if whole periods have passed since.
  const isPlanChange = invoice.price_id !== subscription.price_id
  return isPlanChange
    ? { anchor: period_end, anchor_index: period_index }
    : { anchor, anchor_index }
}

function statusPaid({ period_end }: billing.Invoice): 'active' | 'one_time_active' {
  return period_end ? 'active' : 'one_time_active'
}

/** The license's transitions, and the status that each leads to. */
function stepsOf(
  invoice: billing.Invoice,
  { status }: licensing.License,
): Pick<licensing.TransitionStep, 'trigger' | 'to'>[] {
  const to = statusPaid(invoice)
  if (status === 'paused') return [{ trigger: 'resumed', to }]
  if (invoice.kind === 'upgrade') return [{ trigger: 'upgraded', to }]
  const trigger = licensing.isInDunning(status) ? 'recovered' : 'renewed'
  const renewed = { trigger, to: 'active' } as const
  // A plan that is paid once, to which the buyer changed at the period's end.
  return to === 'active' ? [renewed] : [renewed, { trigger: 'upgraded', to }]
}

/** The license ended while its payment was pending: the charge is refunded. */
async function refundInFull(
  { random }: World,
  tx: Db,
  now: Date,
  invoice: billing.Invoice,
): Promise<void> {
  const charge = (await payments.chargeOf(tx, invoice.id))!
  const { tax: tax_part, fee, add_on_fee, commission } = invoice
  await payments.addRefund(tx, now, {
    id: mintId(random, 'ref'),
    charge_id: charge.id,
    amount: sum(invoice.amount, tax_part),
    tax: tax_part,
    fee,
    add_on_fee,
    commission,
    reason: 'The license ended before the payment arrived.',
    requested_by: 'system',
  })
}
