import type { App } from '#domain/apps'
import * as billing from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import * as discounts from '#domain/discounts'
import * as tax from '#domain/tax'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import { type CartId, mintId } from '#platform/ids'
import { cents, ZERO } from '#platform/money'
import { type Writes, writeTogether } from '#platform/write-together'

/**
 * A purchase to which a code may apply. Without an email, what depends on the buyer is left out.
 */
export interface DiscountRequest {
  app: App
  price: ProductPrice
  /** The code as it was entered; null or empty: none. */
  code?: string | null | undefined
  email_normalized: string | null
  /** The cart whose own attempts do not count as uses; null: none is open yet. */
  cart_id: CartId | null
}

/** The discount of a cart, and why the entered code does not apply. */
export interface ReadDiscount {
  discount: billing.CartDiscount
  refusal: discounts.DiscountRefusal | undefined
}

/** The discount that an entered code gives. A code that does not apply never blocks a purchase. */
export async function readDiscount(
  world: World,
  db: Db,
  request: DiscountRequest,
): Promise<ReadDiscount> {
  const { app, price } = request
  const code = discounts.normalizeCode(request.code ?? '').slice(0, 40)
  const none = { discount_code: code === '' ? null : code, discount_id: null }
  if (code === '') return { discount: { ...none, discount_amount: ZERO }, refusal: undefined }
  const found = await discounts.findCode(db, { app_id: app.id, code })
  const refusal = found ? await discountRefusal(world, db, request, found) : 'unknown'
  if (!found || refusal) return { discount: { ...none, discount_amount: ZERO }, refusal }
  const discount_amount = discounts.amountOff(found, price.amount)
  const discount = { discount_code: code, discount_id: found.id, discount_amount }
  return { discount, refusal: undefined }
}

/** Why a discount does not apply to a purchase now. Undefined if it applies. */
export async function discountRefusal(
  world: World,
  db: Db,
  { app, price, email_normalized, cart_id }: DiscountRequest,
  discount: discounts.Discount,
): Promise<discounts.DiscountRefusal | undefined> {
  const { id } = discount
  const before =
    email_normalized === null
      ? { bought_before: false, used_before: false }
      : await discounts.purchasesBefore(db, { app_id: app.id, email_normalized, id })
  const uses =
    discount.max_uses === null ? 0 : await discounts.countUses(db, { id, except: cart_id })
  const { product_id } = price
  return discounts.refusalOf(appTime(world, app), discount, { product_id, uses, ...before })
}

/** The discount that a cart's code gives now; see `readDiscount`. */
export async function discountOfCart(
  world: World,
  cart: billing.Cart,
  sold: Pick<DiscountRequest, 'app' | 'price'>,
): Promise<ReadDiscount> {
  return await readDiscount(world, world.db, requestOf(cart, sold))
}

/**
 * Quotes a cart again: its price or its discount changed, its quote has expired, or another code
 * was entered (`code`; null removes it).
 */
export async function requote(
  world: World,
  cart: billing.Cart,
  { code = cart.discount_code, ...sold }: Pick<DiscountRequest, 'app' | 'price' | 'code'>,
): Promise<void> {
  const { state, zip } = cart as tax.TaxAddress
  const request = { ...requestOf(cart, sold), code, address: { state, zip } }
  const { quoted, storeQuote } = await quoteCart(world, request)
  await writeTogether(world.db, (writes) => [
    storeQuote(writes),
    billing.requote(writes, world.clock.now(), { cart_id: cart.id, ...quoted }),
  ])
}

/** The request of a cart. */
export function requestOf(
  cart: billing.Cart,
  { app, price }: Pick<DiscountRequest, 'app' | 'price'>,
): DiscountRequest {
  const { id: cart_id, discount_code: code } = cart
  return { app, price, code, email_normalized: provenEmail(cart), cart_id }
}

/**
 * The email of a cart whose buyer proved to own its account; null for any other. Totals that depend
 * on it would show a visitor who enters another person's email what that person bought.
 */
export function provenEmail({ user_id, email_normalized }: billing.Cart): string | null {
  return user_id === null ? null : email_normalized
}

/** A cart's discount, why its code does not apply, and the tax, which `storeQuote` stores. */
export async function quoteCart(
  world: World,
  request: DiscountRequest & { address: tax.TaxAddress },
) {
  const { app, price, address } = request
  const now = appTime(world, app)
  const { discount, refusal } = await readDiscount(world, world.db, request)
  const sale = { ...address, amount: cents(price.amount - discount.discount_amount) }
  const figures = await world.taxes.quote(now, sale)
  const id = mintId(world.random, 'quote')
  return {
    quoted: { ...discount, tax_quote_id: id },
    refusal,
    storeQuote: (writes: Writes) =>
      tax.addQuote(writes, tax.newQuote(now, { id, ...sale, ...figures })),
  }
}
