import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import { type Bill, bill } from '#flows/checkout'
import type { World } from '#flows/world'
import { isId } from '#platform/ids'
import { sameDigest } from '#platform/secrets'
import { clockNotice } from '#surfaces/app-clock'
import { browserHash, currentSession } from '#surfaces/browser'
import { refuse } from '#surfaces/refusals'
import { figuresOf } from './figures.ts'
import type { Purchase } from './frame.tsx'

/** A cart on its way, with what every step shows of it. */
export interface OwnCart {
  cart: billing.Cart
  app: apps.App
  offer: catalog.Offer
  bill: Bill
  purchase: Purchase
  /** True where the app's own developer walks through it: nothing is charged. */
  is_preview: boolean
}

/** The cart of an address, if this browser opened it; for anybody else there is none. */
export async function ownCart(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OwnCart> {
  const { cart_id = '' } = request.params as { cart_id?: string }
  const cart = isId('cart', cart_id) ? await billing.findCart(world.db, cart_id) : undefined
  if (!cart || !sameDigest(cart.browser_hash, browserHash(world, request, reply))) {
    throw refuse('not_found')
  }
  const offer = await catalog.findBought(world.db, cart.price_id)
  const app = (await apps.find(world.db, cart.app_id))!
  const facts = await bill(world, cart, offer)
  const is_preview = cart.order_id === null && cart.user_id === app.developer_id
  const figures = figuresOf(offer, facts)
  const amount = facts.quote.amount
  const purchase = purchaseOf(world, { app, offer: { ...offer, amount }, is_preview }, figures)
  return { cart, app, offer, bill: facts, purchase, is_preview }
}

/** The cart of an address that its own buyer began in another browser than the one he signed in on. */
export async function cartBegunElsewhere(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<billing.Cart | undefined> {
  const { cart_id = '' } = request.params as { cart_id?: string }
  const session = await currentSession(world, request)
  const cart = isId('cart', cart_id) ? await billing.findCart(world.db, cart_id) : undefined
  if (!cart || !session || session.email_normalised !== cart.email_normalised) return undefined
  return sameDigest(cart.browser_hash, browserHash(world, request, reply)) ? undefined : cart
}

/** What every step shows beside itself. */
export function purchaseOf(
  world: World,
  { app, offer, is_preview }: Pick<OwnCart, 'app' | 'offer' | 'is_preview'>,
  figures: Purchase['figures'],
): Purchase {
  return {
    app_name: app.name,
    product_name: offer.product_name,
    amount_cents: offer.amount,
    frequency: offer.frequency,
    figures,
    notice: is_preview ? 'Preview: nothing is charged.' : testNotice(world, app),
  }
}

/** That no real money moves, and in which time the app lives. */
function testNotice(world: World, app: apps.App): string | undefined {
  if (world.processor.name !== 'sandbox') return undefined
  return ['Test mode: no real card is charged.', clockNotice(world, app)].filter(Boolean).join(' ')
}

/** The first step of a cart's purchase, with what the buyer entered there. */
export function detailsUrl(cart: billing.Cart): string {
  return `/checkout/${cart.id}/details`
}

/** The first step of the same purchase in another browser, which knows nothing of the cart. */
export function buyUrl(cart: billing.Cart): string {
  const query = cart.next_url === null ? '' : `?next=${encodeURIComponent(cart.next_url)}`
  return `/buy/${cart.price_id}/${query}`
}
