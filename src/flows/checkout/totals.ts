import type { App } from '#domain/apps'
import * as billing from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import * as tax from '#domain/tax'
import { appTime, type World } from '#flows/world'
import { type Cents, cents, sum } from '#platform/money'
import { sha256 } from '#platform/secrets'

/** What a buyer is asked to agree to. Amounts are in cents. */
export interface CheckoutTotals {
  /** The tax on the price; for a trial, on the price that follows it. */
  quote: tax.Quote
  /** The lines of the invoice that the purchase leads to. */
  lines: readonly billing.InvoiceLine[]
  /** The price and its tax. */
  total: Cents
  terms: billing.Terms
  /** The days of the trial among the terms. */
  trial_days: number
  /** Identifies everything shown: agreeing to other totals is not agreeing to these. */
  agreement: string
}

/** What the buyer of a cart would agree to: the quote, the total, and the terms. */
export async function checkoutTotals(
  world: World,
  cart: billing.Cart,
  { app, price }: { app: App; price: ProductPrice },
): Promise<CheckoutTotals> {
  const quote = await tax.findQuote(world.db, cart.tax_quote_id!)
  const offered = { ...price, trial_days: cart.trial_days ?? price.trial_days }
  const trial_allowed =
    offered.trial_days > 0 &&
    !(await billing.hadTrial(world.db, {
      app_id: cart.app_id,
      email_normalized: cart.email_normalized!,
      fingerprint: cart.card?.fingerprint ?? null,
    }))
  const total = sum(quote.amount, quote.tax)
  const terms = billing.termsOf(appTime(world, app), offered, { total, trial_allowed })
  const isTrial = terms.status === 'trialing'
  const trial_days = isTrial ? offered.trial_days : 0
  const priceLine = { kind: 'price', amount: quote.amount } as const
  const lines = isTrial
    ? [priceLine, { kind: 'trial', amount: cents(-quote.amount) } as const]
    : [priceLine]
  const shown = JSON.stringify([cart.id, quote.amount, quote.tax, trial_days, cart.card?.token])
  const agreement = sha256(shown).toString('base64url')
  return { quote, lines, total, terms, trial_days, agreement }
}
