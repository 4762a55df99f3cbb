import { formatMoney } from '#design/money'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { reversedOf } from '#flows/reversed'
import type { Db } from '#platform/db'
import { type Cents, cents, sum, ZERO } from '#platform/money'

/** An earlier invoice of a period, and what of it, before tax, an upgrade consumed as credit. */
export interface CreditSource {
  invoice: billing.Invoice
  amount: Cents
}

/**
 * The amount before tax, in cents, that was kept for the period that an invoice began, over all
 * invoices that paid for it: its own charge, and the part of its consumed credit that was kept.
 */
export async function keptFor(db: Db, invoice: billing.Invoice): Promise<Cents> {
  const own = await netAmountOf(db, invoice)
  const before =
    billing.creditOf(invoice) > ZERO ? await billing.paidBefore(db, invoice) : undefined
  if (!before?.period_end) return own
  const { period_start, period_end } = before
  const kept = await keptFor(db, before)
  const credit = billing.unusedPart(invoice.period_start, { period_start, period_end, kept })
  return sum(own, cents(Math.min(credit, billing.creditOf(invoice))))
}

/** Where the credit of an upgrade came from: the charges that paid for it, latest first. */
export async function creditSources(db: Db, upgrade: billing.Invoice): Promise<CreditSource[]> {
  const sources: CreditSource[] = []
  let wanted: number = billing.creditOf(upgrade)
  for (let at: billing.Invoice | undefined = upgrade; wanted > 0 && billing.creditOf(at) > ZERO; ) {
    const before: billing.Invoice | undefined = await billing.paidBefore(db, at)
    if (!before) break
    const amount = cents(Math.min(wanted, await netAmountOf(db, before)))
    if (amount > ZERO) sources.push({ invoice: before, amount })
    wanted -= amount
    at = before
  }
  return sources
}

/**
 * The part of an agreed upgrade's credit, in cents before tax, that is no longer kept for the
 * period that `before` began: it was refunded since.
 */
export async function lostCredit(
  db: Db,
  upgrade: billing.Invoice,
  before: billing.Invoice,
): Promise<Cents> {
  const { period_start, period_end } = before
  if (!period_end) return ZERO
  const kept = await keptFor(db, before)
  const left = billing.unusedPart(upgrade.period_start, { period_start, period_end, kept })
  return cents(Math.max(0, billing.creditOf(upgrade) - left))
}

/** What staff have to settle where a buyer was refunded what an upgrade had credited. */
export function receivedTwice(lost: Cents): string {
  return (
    `the buyer received ${formatMoney(lost)} twice, from the seller’s balance. Ask the seller ` +
    'whether the buyer may keep it. If not, refund the upgrade and its credit: that ends the ' +
    'license, and the buyer can purchase again.'
  )
}

/**
 * What an invoice's own charge brought, in cents before tax: less its refunds and disputes. Zero
 * for a waived one.
 */
async function netAmountOf(db: Db, invoice: billing.Invoice): Promise<Cents> {
  const charge = await payments.chargeOf(db, invoice.id)
  if (!charge) return ZERO
  const reversed = await reversedOf(db, charge.id)
  return cents(Math.max(0, invoice.amount - (reversed.amount - reversed.tax)))
}
