import type { App } from '#domain/apps'
import * as billing from '#domain/billing'
import type { Offer } from '#domain/catalog'
import type { Card } from '#domain/payments'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'

/** Sends the buyer to the processor's card page and remembers where its answer will be. */
export async function askForCard(
  world: World,
  cart: billing.Cart,
  facts: { app: App; offer: Offer; summary: string[]; return_url: string; back_url: string },
): Promise<string> {
  const now = world.clock.now()
  const entry = await world.processor.openCardEntry(now, {
    app_name: facts.app.name,
    product_name: facts.offer.product_name,
    email: cart.email ?? '',
    zip: cart.zip ?? '',
    summary: facts.summary,
    return_url: facts.return_url,
    back_url: facts.back_url,
  })
  await billing.awaitCard(world.db, now, { cart_id: cart.id, card_entry_id: entry.id })
  return entry.url
}

/** Why a card cannot be used here. */
export type CardRefusal = 'abroad' | 'unknown_zip'

/** Fetches the card that the buyer entered; one that is refused is not kept. */
export async function takeCard(
  world: World,
  cart: billing.Cart,
): Promise<'kept' | 'none' | CardRefusal> {
  if (!cart.card_entry_id) return 'none'
  const card = await world.processor.readCardEntry(cart.card_entry_id)
  if (!card) return 'none'
  const refusal = cardRefusal(card)
  if (refusal) return refusal
  await billing.setCard(world.db, world.clock.now(), { cart_id: cart.id, card })
  return 'kept'
}

/** US buyers only: the card's billing country and ZIP (spec: What the service does, 4). */
export function cardRefusal(card: Card): CardRefusal | undefined {
  if (card.billing_country !== 'US') return 'abroad'
  return tax.stateOfZip(card.billing_zip) === undefined ? 'unknown_zip' : undefined
}
