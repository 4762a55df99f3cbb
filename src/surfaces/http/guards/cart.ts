import type { FastifyReply, FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import type { World } from '#flows/world'
import { browserHash } from '#http/browser'
import { paramsOf } from '#http/input'
import { refuse } from '#http/refusals'
import { currentSession } from '#http/session'
import { isId } from '#platform/ids'
import { sameDigest } from '#platform/secrets'

/** Under which address a cart has its steps. */
export const CART_PATH = '/checkout/:cart_id'

/** The cart that the address names, in the browser that opened it; every other one gets 404. */
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

/** The cart that the address names where its buyer signed in, in another browser than it is of. */
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
  const { cart_id } = paramsOf(CART_PATH, request)
  return isId('cart', cart_id) ? await billing.findCart(db, cart_id) : undefined
}
