import type { FastifyInstance, FastifyRequest } from 'fastify'
import type * as billing from '#domain/billing'
import * as discounts from '#domain/discounts'
import {
  type DiscountRequest,
  discountOfCart,
  type ReadDiscount,
  readDiscount,
  requote,
} from '#flows/checkout'
import type { World } from '#flows/world'
import { CART_PATH } from '#http/guards/cart'
import { formOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { redirectTo } from '#http/pages'
import type { Locale } from '#platform/language/locale'
import type { RouteLimit } from '#platform/route-limits'
import { type OwnCart, requireOwnCart } from './purchase.ts'
import { elsewhere } from './step-elsewhere.ts'

/**
 * How much of a code is read from a form or a buy link: a character more than codes have, so that a
 * longer text is not taken for the code that it begins with.
 */
export const CODE_LENGTH = 33

// Codes can be guessed, so tries are counted by network.
const TRIES: RouteLimit = { name: 'checkout-discount', points: 20, seconds: 60, key: byIp }

/**
 * Whether the code of a buy link is read, which shows whether it exists: `countTry` counts an
 * unknown one. Beyond the limit a code is ignored, as a link is never refused for its code.
 */
export async function mayTry(
  world: World,
  request: FastifyRequest,
  code: string | null | undefined,
): Promise<boolean> {
  if (!code) return true
  const { allowed, remaining } = await world.limits.consume(TRIES, TRIES.key(request), 0)
  return allowed && remaining > 0
}

/** Counts a code of a buy link that is unknown. */
export async function countTry({ limits }: World, request: FastifyRequest): Promise<void> {
  await limits.consume(TRIES, TRIES.key(request))
}

/** Reads the code of a buy link where `mayTry` allows it. */
export async function tryCode(
  world: World,
  request: FastifyRequest,
  wanted: DiscountRequest,
): Promise<{ read: ReadDiscount; is_tried: boolean }> {
  const is_tried = await mayTry(world, request, wanted.code)
  const read = await readDiscount(world, world.db, is_tried ? wanted : { ...wanted, code: null })
  if (read.refusal === 'unknown') await countTry(world, request)
  return { read, is_tried }
}

/** A code that was entered and does not apply. */
export interface NotApplied {
  code: string
  refusal: discounts.DiscountRefusal | 'too_many'
  /** Why it does not apply, in a sentence. */
  reason: string
}

/** The code that was entered and does not apply; undefined if none was, or it applies. */
export function notAppliedOf(
  { discount, refusal }: ReadDiscount,
  locale: Locale,
): NotApplied | undefined {
  const { discount_code } = discount
  if (discount_code === null || !refusal) return undefined
  const code = discount_code.slice(0, CODE_LENGTH)
  return { code, refusal, reason: discounts.discountSentence(refusal, locale) }
}

/**
 * Applies the code of a cart that did not apply before and does now: its first day has come, or
 * another purchase has returned the last use. False if nothing changes.
 */
export async function applyLate(world: World, own: OwnCart): Promise<boolean> {
  const { cart, app, price } = own
  if (cart.discount_code === null || cart.discount_id !== null) return false
  const { refusal } = await discountOfCart(world, cart, { app, price })
  if (refusal) return false
  await requote(world, cart, { app, price })
  return true
}

/** The code that applies, and what it takes off; undefined if none does. */
export function appliedOf({ discount }: ReadDiscount): billing.CodeDiscount | undefined {
  const { discount_code: code, discount_id, discount_amount: amount } = discount
  return discount_id === null ? undefined : { code: code!, amount }
}

/** Enters another discount code, or removes it. */
export function declareDiscount(scope: FastifyInstance, world: World): void {
  const config = { limits: [TRIES] }
  scope.post(`${CART_PATH}/discount`, { config }, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    const other_step = elsewhere(world, own)
    if (other_step) return redirectTo(reply, other_step)
    const { cart, app, price } = own
    const { discount = '' } = formOf(request)
    await requote(world, cart, { app, price, code: discount.slice(0, CODE_LENGTH) })
    return redirectTo(reply, `/checkout/${cart.id}/confirm?notice=code#discount-code`)
  })
}
