import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { bookCharge } from '#flows/book'
import type { World } from '#flows/world'
import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { queueLetter } from '#platform/letters'
import { sum, ZERO } from '#platform/money'
import type { Paying } from './settle.ts'

/** A bill was paid: the money is booked, the license goes on, and the buyer gets a receipt. */
export async function pay(
  world: World,
  tx: Db,
  now: Date,
  paying: Paying,
  processor_charge_id: string,
): Promise<void> {
  const { app, attempt, subscription } = paying
  const invoice = await payableInvoice(tx, paying)
  const license = await licensing.lockLicense(tx, invoice.license_id)
  const { frequency } = await catalog.findBought(tx, invoice.price_id)
  const calendar = calendarPaid(now, paying, license)
  const period = periodPaid(now, invoice, { ...calendar, frequency })
  await billing.payInvoice(tx, now, { id: invoice.id, ...period })
  const { state } = await tax.findQuote(tx, invoice.tax_quote_id)
  const payees = { seller_id: app.seller_id, state }
  await bookCharge(world, tx, now, { invoice, payees, attempt_id: attempt.id, processor_charge_id })
  await queueLetter(tx, now, world.jobs, {
    id: mintId(world.random, 'letter'),
    cause: `receipt:${invoice.id}`,
    kind: 'invoice_paid',
    subject_id: invoice.id,
  })
  if (license.status === 'canceled') {
    await giveBack(world, tx, now, invoice)
    return
  }
  const { product_id } = invoice
  const { period_end } = period
  const step = { license_id: license.license_id, period_end, product_id }
  if (license.status === 'paused' && license.paused_for !== 'buyer') {
    // Suspended while the money was on its way: it resumes as paid.
    await licensing.changeInterrupted(tx, { ...step, paused_from: statusPaid(invoice) })
  } else {
    for (const each of stepsOf(invoice, license))
      await licensing.move(tx, now, { ...step, ...each })
  }
  // Auto-renew is off: the day on which the license ends has moved along, or there is none.
  if (!subscription.auto_renew) {
    await licensing.setEndDay(tx, { license_id: license.license_id, canceled_at: period_end })
  }
  await billing.changeSubscription(tx, subscription, {
    ...calendar,
    price_id: invoice.price_id,
    amount: invoice.price_amount,
    period_index: period.period_index,
    ...(period_end ? { period_end } : { ended_at: now }),
    next_at: license.status === 'paused' && license.paused_for !== 'buyer' ? null : period_end,
    past_due_since: null,
    retries: 0,
    last_decline: null,
    ...billing.NO_MOVE,
  })
}

/** The bill without a commission where the affiliate has become the one who pays it. */
async function payableInvoice(tx: Db, { invoice, app, attempt }: Paying): Promise<billing.Invoice> {
  if (invoice.affiliate_id === null) return invoice
  const isSelf = await affiliates.isSelf(tx, invoice.affiliate_id, {
    email_normalised: attempt.email_normalised,
    fingerprint: attempt.card.fingerprint,
    developer_id: app.developer_id,
  })
  if (!isSelf) return invoice
  await billing.waiveCommission(tx, invoice.id)
  return { ...invoice, commission: ZERO, affiliate_id: null }
}

/** The period that is paid: one that comes late skips what has passed unpaid. */
function periodPaid(
  now: Date,
  invoice: billing.Invoice,
  calendar: Omit<billing.Calendar, 'frequency'> & { frequency: Frequency | null },
) {
  const { period_start, period_end } = invoice
  const period_index = invoice.period_index!
  const { frequency } = calendar
  if (frequency === null) return { period_index, period_start, period_end }
  return billing.periodDue({ ...calendar, frequency }, period_index - 1, now)
}

/** A move to another plan and the end of a pause begin a calendar of their own. */
function calendarPaid(
  now: Date,
  { invoice, subscription }: Paying,
  license: licensing.HeldLicense,
) {
  const { anchor, anchor_index, period_end, period_index } = subscription
  const before = invoice.period_index! - 1
  // The bill may be of an earlier day, on which the bank said no: nobody pays for the time since.
  if (license.paused_for === 'buyer') return { anchor: now, anchor_index: before }
  if (invoice.kind === 'upgrade') return { anchor: invoice.period_start, anchor_index: before }
  // Counted from where the old plan ended, as it was billed, even if whole periods have passed since.
  const isMove = invoice.price_id !== subscription.price_id
  return isMove ? { anchor: period_end, anchor_index: period_index } : { anchor, anchor_index }
}

function statusPaid({ period_end }: billing.Invoice): 'active' | 'one_time_active' {
  return period_end ? 'active' : 'one_time_active'
}

/** The license's steps, and where each leads. */
function stepsOf(
  invoice: billing.Invoice,
  { status }: licensing.License,
): Pick<licensing.Move, 'trigger' | 'to'>[] {
  const to = statusPaid(invoice)
  if (status === 'paused') return [{ trigger: 'resumed', to }]
  if (invoice.kind === 'upgrade') return [{ trigger: 'upgraded', to }]
  const isOwing = status === 'past_due' || status === 'unpaid'
  const goesOn = { trigger: isOwing ? 'recovered' : 'renewed', to: 'active' } as const
  // A plan that is paid once, to which the owner moved at the period's end.
  return to === 'active' ? [goesOn] : [goesOn, { trigger: 'upgraded', to }]
}

/** The license ended while its money was on the way: what was taken goes back. */
async function giveBack(
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
