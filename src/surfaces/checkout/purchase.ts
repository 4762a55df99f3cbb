import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as catalog from '#domain/catalog'
import type * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { type CheckoutTotals, cartRefusal, checkoutTotals, mayBuyAs } from '#flows/checkout'
import type { NotContinued } from '#flows/payment'
import { appTime, type World } from '#flows/world'
import { buyPath } from '#http/buy-link'
import { requirePricedCart } from '#http/guards/cart'
import { currentSession } from '#http/session'
import { testNotice } from '#http/test-clock-notice'
import type { Locale } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import { figuresOf } from './figures.ts'
import type { PurchaseSummary } from './layout.tsx'

/** An opened buy link: the price, and the return address. */
export interface BuyLink {
  app: apps.App
  price: catalog.ProductPrice
  next_url: string | null
}

/** A cart with the facts that every step shows. */
export interface OwnCart {
  cart: billing.Cart
  app: apps.App
  price: catalog.ProductPrice
  totals: CheckoutTotals
  /** The latest attempt to pay for it, if any. */
  attempt: payments.Attempt | undefined
  purchase: PurchaseSummary
  /** True for a member of the app's seller: nothing is charged. */
  is_preview: boolean
  /** Whether a buyer can still buy this. */
  is_for_sale: boolean
  /** What this browser bought or is paying for in another cart, if it is recent. */
  other: billing.OtherPurchase | undefined
  /** Whether the account that the cart belongs to is not, or no longer, signed in. */
  is_signed_out: boolean
  /** Why the imported license of the cart cannot be continued. */
  not_continued: NotContinued | undefined
}

/** Like `requirePricedCart`, with the facts that every step shows. */
export async function requireOwnCart(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OwnCart> {
  const priced = await requirePricedCart(world, request, reply)
  const { cart, attempt, is_for_sale, other: found, ...sold } = priced
  const { app, price } = sold
  const totals = await checkoutTotals(world, cart, sold)
  const is_preview = cart.order_id === null && (await isOfMember(world, cart, app))
  const locale = localeOf(request)
  const figures = figuresOf(price, totals, locale)
  const amount = billing.priceOf(totals)
  const purchase = purchaseOf(
    world,
    { app, price: { ...price, amount }, is_preview, locale },
    figures,
  )
  const not_continued = await cartRefusal(world, app, { cart, price })
  const isRecent = !found?.completed_at || billing.maySignIn(appTime(world, app), found)
  const other = isRecent ? found : undefined
  const is_signed_out = await isSignedOut(world, request, cart)
  const facts = { cart, app, price, totals, attempt, purchase, is_preview }
  return { ...facts, is_for_sale, other, is_signed_out, not_continued }
}

/** A browser keeps its carts after a sign-out, and must not pay for the account that left. */
async function isSignedOut(
  world: World,
  request: FastifyRequest,
  { user_id, app_id }: billing.Cart,
): Promise<boolean> {
  return user_id !== null && !mayBuyAs(await currentSession(world, request), user_id, app_id)
}

async function isOfMember({ db }: World, { user_id }: billing.Cart, { seller_id }: apps.App) {
  if (user_id === null) return false
  return (await sellers.memberOf(db, { seller_id, user_id })) !== undefined
}

/** The order summary of a cart. */
export function purchaseOf(
  world: World,
  {
    app,
    price,
    is_preview,
    locale,
  }: Pick<OwnCart, 'app' | 'price' | 'is_preview'> & {
    locale: Locale
  },
  figures: PurchaseSummary['figures'],
): PurchaseSummary {
  return {
    locale,
    ...apps.brandOf(app),
    product_name: price.product_name,
    amount: price.amount,
    frequency: price.frequency,
    figures,
    notice: is_preview ? locale.t('notice.preview') : testNotice(world, app, locale),
  }
}

/** The first step of a cart, with the entered details. */
export function detailsUrl(cart: billing.Cart): string {
  return `/checkout/${cart.id}/details`
}

/** The buy link of a cart, for a browser without the cart. */
export function buyLinkOf(cart: billing.Cart): string {
  return buyPath(cart.price_id, {
    next: cart.next_url ?? undefined,
    discount: cart.discount_code ?? undefined,
    continue: cart.continues_license_id ?? undefined,
  })
}
