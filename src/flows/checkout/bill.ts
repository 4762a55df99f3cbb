import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type { Offer } from '#domain/catalog'
import * as tax from '#domain/tax'
import { appTime, type World } from '#flows/world'
import { type Cents, sum } from '#platform/money'
import { sha256 } from '#platform/secrets'

/** What a buyer is asked to agree to. */
export interface Bill {
  quote: tax.Quote
  /** The price and its tax. */
  total: Cents
  terms: billing.Terms
  /** The days of the trial among the terms. */
  trial_days: number
  /** Names all that is shown: who agreed to anything else did not agree to this. */
  agreement: string
}

/** What the buyer of a cart would agree to: the quote, the total, and the terms. */
export async function bill(world: World, cart: billing.Cart, offer: Offer): Promise<Bill> {
  const quote = await tax.findQuote(world.db, cart.tax_quote_id!)
  const app = (await apps.find(world.db, cart.app_id))!
  const offered = { ...offer, trial_days: cart.trial_days ?? offer.trial_days }
  const trial_allowed =
    offered.trial_days > 0 &&
    !(await billing.hadTrial(world.db, {
      app_id: cart.app_id,
      email_normalised: cart.email_normalised!,
      fingerprint: cart.card?.fingerprint ?? null,
    }))
  const total = sum(quote.amount, quote.tax)
  const terms = billing.termsOf(appTime(world, app), offered, { total, trial_allowed })
  const trial_days = terms.status === 'trialing' ? offered.trial_days : 0
  const shown = JSON.stringify([cart.id, quote.amount, quote.tax, trial_days, cart.card?.token])
  return { quote, total, terms, trial_days, agreement: sha256(shown).toString('base64url') }
}
