import type { FastifyReply, FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import { findPricedCart, type PricedCart } from '#flows/checkout'
import type { World } from '#flows/world'
import { browserHash } from '#http/browser'
import { NoCheckoutPage } from '#http/error-page'
import { paramsOf } from '#http/input'
import { AnsweredByGuard, sendPage } from '#http/pages'
import { currentSession } from '#http/session'
import { readId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import { sameDigest } from '#platform/secrets'

/** The base path of a checkout. */
export const CART_PATH = '/checkout/:cart_id'

/** The cart in the path, for the browser that opened it; others get 404. */
export async function requireCart(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<billing.Cart> {
  const cart = await namedCart(world, request)
  if (!cart || !isOfBrowser(world, request, reply, cart)) throw notFound()
  return cart
}

/** Like `requireCart`, with the app, price and tax quote of the cart. */
export async function requirePricedCart(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PricedCart> {
  const cart_id = cartId(request)
  const priced = cart_id && (await findPricedCart(world.db, cart_id))
  if (!priced || !isOfBrowser(world, request, reply, priced.cart)) throw notFound()
  return priced
}

/** The same for a cart of another browser as for an unknown one. */
function notFound(): AnsweredByGuard {
  return new AnsweredByGuard((reply) =>
    sendPage(reply, NoCheckoutPage({ locale: localeOf(reply.request) }), { status: 404 }),
  )
}

function isOfBrowser(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser_hash }: billing.Cart,
): boolean {
  return sameDigest(browser_hash, browserHash(world, request, reply))
}

/** The cart in the path, for its buyer when signed in on a different browser. */
export async function cartOfOtherBrowser(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<billing.Cart | undefined> {
  const session = await currentSession(world, request)
  const cart = await namedCart(world, request)
  if (!cart || !session || session.email_normalized !== cart.email_normalized) return undefined
  return isOfBrowser(world, request, reply, cart) ? undefined : cart
}

async function namedCart({ db }: World, request: FastifyRequest) {
  const cart_id = cartId(request)
  return cart_id && (await billing.findCart(db, cart_id))
}

function cartId(request: FastifyRequest) {
  return readId('cart', paramsOf(CART_PATH, request).cart_id)
}
