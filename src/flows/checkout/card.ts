import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import type { Card, CardEntryRequest } from '#domain/payments'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'

/**
 * The processor's page where the buyer of a cart enters a card. The same page is returned until a
 * card was read from it, or the buyer chose another language: a processor session lives as long as
 * a cart.
 */
export async function openCardPage(
  world: World,
  cart: billing.Cart,
  facts: Pick<CardEntryRequest, 'summary' | 'figures' | 'note' | 'return_url' | 'back_url'> & {
    app: apps.App
    price: ProductPrice
  },
): Promise<string> {
  if (cart.card_entry_url) return cart.card_entry_url
  const now = world.clock.now()
  const entry = await world.processor.openCardEntry(now, {
    ...apps.brandOf(facts.app),
    product_name: facts.price.product_name,
    email: cart.email ?? '',
    zip: cart.zip ?? '',
    summary: facts.summary,
    figures: facts.figures,
    note: facts.note,
    return_url: facts.return_url,
    back_url: facts.back_url,
    language: cart.language,
  })
  const opened = { cart_id: cart.id, card_entry_id: entry.id, card_entry_url: entry.url }
  return await billing.recordCardEntry(world.db, now, opened)
}

/** Why a card cannot be used here. */
export type CardRefusal = 'abroad' | 'unknown_zip' | 'other_state'

/** The outcome of the card page. A refused card is not stored. */
export type CardPageOutcome =
  | { outcome: 'stored' | 'none' }
  | { outcome: 'refused'; reason: CardRefusal; card: Card }

/** Stores the card that the buyer entered on the card page, unless it cannot be used here. */
export async function storeEnteredCard(world: World, cart: billing.Cart): Promise<CardPageOutcome> {
  const card = await enteredCard(world, cart)
  if (!card) return { outcome: 'none' }
  const now = world.clock.now()
  const reason = cardRefusal(card, cart.state!)
  if (reason) {
    await billing.removeCardEntry(world.db, now, cart.id)
    return { outcome: 'refused', reason, card }
  }
  await billing.setCard(world.db, now, { cart_id: cart.id, card })
  return { outcome: 'stored' }
}

/** The card of the latest page on which one was entered; undefined until there is one. */
async function enteredCard(
  { processor }: World,
  { card_entry_id, earlier_card_entry_id }: billing.Cart,
): Promise<Card | undefined> {
  const latest = card_entry_id === null ? undefined : await processor.readCardEntry(card_entry_id)
  if (latest || earlier_card_entry_id === null) return latest
  return await processor.readCardEntry(earlier_card_entry_id)
}

/** The billing address of a card; its state is empty if the ZIP code is in none. */
export function billingAddress({ billing_zip }: Card): tax.TaxAddress {
  return { state: tax.stateOfZip(billing_zip) ?? '', zip: billing_zip }
}

/**
 * US buyers only: the card's billing country and ZIP code (spec: What the service does, 4), in the
 * state whose tax is charged. Processors name US territories as countries of their own.
 */
export function cardRefusal(card: Card, declared_state: string): CardRefusal | undefined {
  const { billing_country: country } = card
  if (country !== 'US' && !tax.isTerritory(country)) return 'abroad'
  const state = tax.stateOfZip(card.billing_zip)
  if (state === undefined) return 'unknown_zip'
  return state === declared_state ? undefined : 'other_state'
}
