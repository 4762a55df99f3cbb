import type { FastifyReply, FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import type { World } from '#flows/world'
import { browserHash } from '#http/browser'
import { paramsOf } from '#http/input'
import { refuse } from '#http/refusals'
import { currentSession } from '#http/session'
import { readId } from '#platform/ids'
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
  if (!cart || !sameDigest(cart.browser_hash, browserHash(world, request, reply))) {
    throw refuse('not_found')
  }
  return cart
}

/** The cart in the path, for its buyer signed in on another browser than the cart's. */
export async function cartOfOtherBrowser(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<billing.Cart | undefined> {
  const session = await currentSession(world, request)
  const cart = await namedCart(world, request)
  if (!cart || !session || session.email_normalized !== cart.email_normalized) return undefined
  return sameDigest(cart.browser_hash, browserHash(world, request, reply)) ? undefined : cart
}

async function namedCart({ db }: World, request: FastifyRequest) {
  const cart_id = readId('cart', paramsOf(CART_PATH, request).cart_id)
  return cart_id && (await billing.findCart(db, cart_id))
}
