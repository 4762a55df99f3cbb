import type { App } from '#domain/apps'
import * as billing from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import * as discounts from '#domain/discounts'
import * as licensing from '#domain/licensing'
import * as tax from '#domain/tax'
import { isWaived } from '#flows/payment'
import { appTime, type World } from '#flows/world'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { sha256 } from '#platform/secrets'
import { provenEmail } from './cart-discount.ts'

/** The totals that a buyer agrees to. Amounts are in cents. */
export interface CheckoutTotals {
  /** The tax on the discounted price; for a trial, on the first charge after it. */
  quote: tax.Quote
  /** The lines of the invoice that the purchase leads to. */
  lines: readonly billing.InvoiceLine[]
  /** The discount code that applies, and its amount. */
  discount: billing.CodeDiscount | undefined
  /** The discounted price plus tax. */
  total: Cents
  /** True if the total is too small to be charged: it is waived. */
  is_waived: boolean
  /** What a period costs once the discount has ended, with tax at the same rate. */
  full_total: Cents
  /** To how many periods after this purchase the discount applies; null: to all. */
  discounted_periods: number | null
  terms: billing.Terms
  /**
   * The end of what was paid at another service: the first charge is then; undefined for others.
   */
  prepaid_until: Date | undefined
  /** The days of the trial among the terms. */
  trial_days: number
  /** Whether the plan has a trial that this buyer or this card already used. */
  is_trial_used: boolean
  /** Identifies everything shown: agreeing to other totals is not agreeing to these. */
  agreement: string
}

/** Computes what the buyer of a cart would agree to: the quote, the total and the terms. */
export async function checkoutTotals(
  world: World,
  cart: billing.Cart,
  { app, price, ...known }: { app: App; price: ProductPrice; quote?: tax.Quote },
): Promise<CheckoutTotals> {
  const quote = known.quote ?? (await tax.getQuote(world.db, cart.tax_quote_id!))
  const prepaid_until = await prepaidUntil(world, cart)
  const offered = { ...price, trial_days: cart.trial_days ?? price.trial_days }
  const trial_allowed =
    offered.trial_days > 0 &&
    !(await billing.hadTrial(world.db, {
      app_id: cart.app_id,
      email_normalized: provenEmail(cart),
      fingerprint: cart.card?.fingerprint ?? null,
    }))
  const total = sum(quote.amount, quote.tax)
  const is_waived = isWaived(world, total)
  const due = { total: is_waived ? ZERO : total, trial_allowed, prepaid_until }
  const terms = billing.termsOf(appTime(world, app), offered, due)
  const isTrial = terms.status === 'trialing'
  const isTrialOffered = offered.trial_days > 0 && price.frequency !== null && !prepaid_until
  const trial_days = isTrial ? offered.trial_days : 0
  const { discount_id, discount_amount: off } = cart
  const isLater = isTrial || prepaid_until !== undefined
  const periods = discount_id && (await discounts.getDiscount(world.db, discount_id)).periods
  const discounted_periods = periods && !isLater ? periods - 1 : periods
  const discount = off > ZERO ? { code: cart.discount_code!, amount: off } : undefined
  const full_price = sum(quote.amount, off)
  const full_total = sum(full_price, tax.taxOn(full_price, quote))
  const lines = billing.priceLines(full_price, discount)
  if (isLater && quote.amount > ZERO) {
    lines.push({ kind: isTrial ? 'trial' : 'prepaid', amount: cents(-quote.amount) })
  }
  const shown = JSON.stringify([
    cart.id,
    quote.amount,
    quote.tax,
    trial_days,
    cart.card?.token,
    discount,
    // Advancing the app's test clock changes every date of the order.
    app.clock_ahead,
    ...(prepaid_until ? [cart.continues_license_id, prepaid_until.getTime()] : []),
  ])
  const agreement = sha256(shown).toString('base64url')
  return {
    quote,
    lines,
    discount,
    total,
    is_waived: is_waived && !isLater,
    full_total,
    discounted_periods,
    terms,
    prepaid_until,
    trial_days,
    is_trial_used: isTrialOffered && !trial_allowed,
    agreement,
  }
}

/** The end of what was paid at another service for the license that a cart continues. */
async function prepaidUntil(
  { db }: World,
  { continues_license_id: license_id }: billing.Cart,
): Promise<Date | undefined> {
  if (license_id === null) return undefined
  return (await licensing.getLicense(db, license_id)).period_end ?? undefined
}
