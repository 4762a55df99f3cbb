import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import * as tax from '#domain/tax'
import { checkoutTotals, confirm, openCardPage, openCart, storeEnteredCard } from '#flows/checkout'
import type { TestProcessor } from '#flows/test-clock'
import { appTime, type World } from '#flows/world'
import { base62, type LicenseId, type OrderId } from '#platform/ids'
import { sha256 } from '#platform/secrets'

// Texas taxes software, so scenarios show tax.
const ZIP = '78701'

/** The buyer of a scenario, and what was bought. */
export interface ScenarioBuyer {
  email: string
  order_id: OrderId
  license_id: LicenseId
}

/**
 * Buys a price as a new buyer through the real checkout: details, card and confirmation. Throws if
 * a step is refused.
 */
export async function buyAsNewBuyer(
  world: World,
  processor: TestProcessor,
  facts: { price: catalog.ProductPrice; card: string; trial_days: number },
): Promise<ScenarioBuyer> {
  const { db, random, config } = world
  const { price, trial_days } = facts
  const email = `scenario-${base62(random, 8).toLowerCase()}@example.com`
  const app = await apps.get(db, price.app_id)
  const opened = await openCart(world, {
    app,
    price,
    details: { email, email_normalized: email, zip: ZIP, state: tax.stateOfZip(ZIP)! },
    browser_hash: sha256(random.bytes(32).toString('hex')),
    next_url: null,
    session: undefined,
    affiliate_id: null,
    brought_by: 'seller',
    trial_days,
  })
  if (opened.step !== 'card') throw new Error(`a new buyer was sent to ${opened.step}`)
  const { cart_id } = opened
  const cart = async () => (await billing.findCart(db, cart_id))!
  const back = config.base_url
  const page = { app, price, summary: [], return_url: back, back_url: back }
  await openCardPage(world, await cart(), page)
  const { card_entry_id } = await cart()
  const entered = { entry_id: card_entry_id!, number: facts.card }
  await processor.enterCard(appTime(world, app), entered)
  const stored = await storeEnteredCard(world, await cart())
  if (stored.outcome !== 'stored') throw new Error('the card of a scenario was refused')
  const { agreement } = await checkoutTotals(world, await cart(), { app, price })
  const confirmed = await confirm(world, { cart_id, agreement, return_url: back })
  if (confirmed.outcome !== 'completed') {
    throw new Error(`the purchase of a scenario came to ${confirmed.outcome}`)
  }
  const order = await billing.getOrder(db, confirmed.order_id)
  return { email, order_id: order.id, license_id: order.license_id }
}
