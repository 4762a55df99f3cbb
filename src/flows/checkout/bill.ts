import * as billing from '#domain/billing'
import type { Offer } from '#domain/catalog'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import { type Cents, sum } from '#platform/money'

/** What a buyer is asked to agree to. */
export interface Bill {
  quote: tax.Quote
  /** The price and its tax. */
  total: Cents
  terms: billing.Terms
}

/** What the buyer of a cart would agree to: the quote, the total, and the terms. */
export async function bill(world: World, cart: billing.Cart, offer: Offer): Promise<Bill> {
  const quote = await tax.findQuote(world.db, cart.tax_quote_id!)
  const trial_allowed =
    offer.trial_days > 0 &&
    !(await billing.hadTrial(world.db, {
      app_id: cart.app_id,
      email_normalised: cart.email_normalised!,
      fingerprint: cart.card?.fingerprint ?? null,
    }))
  const total = sum(quote.amount, quote.tax)
  return {
    quote,
    total,
    terms: billing.termsOf(world.clock.now(), offer, { total, trial_allowed }),
  }
}
