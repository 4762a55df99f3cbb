import * as affiliates from '#domain/affiliates'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { bookPayment, type PaidBy } from '#flows/book'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { mintId } from '#platform/ids'
import { sum, ZERO } from '#platform/money'
import type { Paying } from './settle.ts'

/** An invoice that is paid, who pays it, and with what. */
export interface Payment extends Pick<Paying, 'subscription' | 'app'> {
  invoice: billing.NewInvoice
  payer: { email_normalised: string; fingerprint: string }
  paid_by: PaidBy
}

/** A bill was paid: the money is booked, the license goes on, and the buyer gets a receipt. */
export async function pay(world: World, tx: Db, now: Date, payment: Payment): Promise<void> {
  const { app, subscription, paid_by } = payment
  const invoice = await payableInvoice(tx, payment)
  const license = await licensing.lockLicense(tx, invoice.license_id)
  const { calendar, ...period } = await periodPaid(tx, now, payment, license)
  const is_waived = paid_by === 'waived'
  await billing.payInvoice(tx, now, { id: invoice.id, ...period, is_waived })
  const { state } = await tax.findQuote(tx, invoice.tax_quote_id)
  const payees = { seller_id: app.seller_id, state }
  await bookPayment(world, tx, now, { invoice, payees, paid_by })
  await queueEmail(tx, now, world.jobs, {
    id: mintId(world.random, 'email'),
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
      await licensing.transition(tx, now, { ...step, ...each })
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
async function payableInvoice(
  tx: Db,
  { invoice, app, payer }: Payment,
): Promise<billing.NewInvoice> {
  if (invoice.affiliate_id === null) return invoice
  const { developer_id } = app
  const isSelf = await affiliates.isSelf(tx, invoice.affiliate_id, { ...payer, developer_id })
  if (!isSelf) return invoice
  await billing.waiveCommission(tx, invoice.id)
  return { ...invoice, commission: ZERO, affiliate_id: null }
}

/** The period that is paid, and the calendar that holds from then on. */
async function periodPaid(
  tx: Db,
  now: Date,
  payment: Payment,
  license: licensing.PausableLicense,
): Promise<PaidPeriod> {
  const { invoice } = payment
  const period_index = invoice.period_index!
  const { frequency } = await catalog.findBought(tx, invoice.price_id)
  const calendar = calendarPaid(now, payment, license)
  const { period_start, period_end } = invoice
  // An upgrade was agreed to and charged for the period that it shows.
  if (frequency === null || invoice.kind === 'upgrade') {
    return { calendar, period_index, period_start, period_end }
  }
  const paid = billing.periodPaid({ ...calendar, frequency }, period_index, now)
  const { anchor, anchor_index } = paid
  return {
    calendar: { anchor, anchor_index },
    period_index,
    period_start: paid.period_start,
    period_end: paid.period_end,
  }
}

interface PaidPeriod extends Pick<billing.Invoice, 'period_start' | 'period_end'> {
  calendar: Omit<billing.Calendar, 'frequency'>
  period_index: number
}

/** A plan change and the end of a pause begin a calendar of their own. */
function calendarPaid(
  now: Date,
  { invoice, subscription }: Payment,
  license: licensing.PausableLicense,
) {
  const { anchor, anchor_index, period_end, period_index } = subscription
  const before = invoice.period_index! - 1
  // The bill may be of an earlier day, on which the bank said no: nobody pays for the time since.
  if (license.paused_for === 'buyer') return { anchor: now, anchor_index: before }
  if (invoice.kind === 'upgrade') return { anchor: invoice.period_start, anchor_index: before }
  // Counted from where the old plan ended, as it was billed, even if whole periods have passed since.
  const isPlanChange = invoice.price_id !== subscription.price_id
  return isPlanChange
    ? { anchor: period_end, anchor_index: period_index }
    : { anchor, anchor_index }
}

function statusPaid({ period_end }: billing.NewInvoice): 'active' | 'one_time_active' {
  return period_end ? 'active' : 'one_time_active'
}

/** The license's steps, and where each leads. */
function stepsOf(
  invoice: billing.NewInvoice,
  { status }: licensing.License,
): Pick<licensing.TransitionStep, 'trigger' | 'to'>[] {
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
  invoice: billing.NewInvoice,
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
