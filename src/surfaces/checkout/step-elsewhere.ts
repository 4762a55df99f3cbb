import type { FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { queryOf } from '#http/input'
import { detailsUrl, type OwnCart } from './purchase.ts'

/** A cart on its way through the steps. */
type SteppingCart = Pick<OwnCart, 'cart' | 'attempt'> &
  Partial<Pick<OwnCart, 'is_for_sale' | 'other' | 'is_signed_out' | 'not_continued'>>

/** The step to redirect to if the requested one is too early or too late. */
export async function stepElsewhere(
  world: World,
  { cart }: Pick<OwnCart, 'cart'>,
): Promise<string | undefined> {
  // There is none before a card was entered.
  const attempt = cart.card === null ? undefined : await payments.latestOfCart(world.db, cart.id)
  return elsewhere(world, { cart, attempt })
}

/** Like `stepElsewhere`, given the latest attempt to pay for the cart. */
export function elsewhere(
  { clock }: World,
  { cart, attempt, is_for_sale, other, is_signed_out, not_continued }: SteppingCart,
): string | undefined {
  const paid = afterPay({ cart, attempt })
  if (paid) return paid
  if (other) return otherStep(other)
  if (is_signed_out) return `/checkout/${cart.id}/sign-in`
  if (not_continued) return `/checkout/${cart.id}/not-continued`
  // Where the page says that nothing is sold.
  if (is_for_sale === false) return detailsUrl(cart)
  return billing.hasExpired(clock.now(), cart) ? detailsUrl(cart) : undefined
}

/** The step of a cart that was paid, or is being paid; undefined for any other. */
export function afterPay({ cart, attempt }: SteppingCart): string | undefined {
  if (cart.completed_at !== null) return `/checkout/${cart.id}/success`
  return attempt?.status === 'open' ? `/checkout/${cart.id}/processing` : undefined
}

const FROM_OTHER_CART = 'other_cart'

/** Whether a buyer comes from another cart, which its page says. */
export function isFromOtherCart(request: FastifyRequest): boolean {
  return queryOf(request, 'notice') === FROM_OTHER_CART
}

/** The page of another purchase, for a buyer who would pay for the same app again. */
export function otherStep({ id, order_id }: Pick<billing.Cart, 'id' | 'order_id'>): string {
  const step = order_id === null ? 'processing' : 'success'
  return `/checkout/${id}/${step}?notice=${FROM_OTHER_CART}`
}

/**
 * The step that shows the order of a form that was refused: its page says whether the order is
 * paid, as the button may have been pressed before.
 */
export function orderOfForm(request: FastifyRequest): string | undefined {
  const [, cart, form] = /^\/checkout\/(\w+)\/([\w-]+)/.exec(request.url) ?? []
  if (!cart) return undefined
  return `/checkout/${cart}/${form?.startsWith('sign-in') ? 'sign-in' : 'confirm'}`
}
