import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import type { Db } from '#platform/db'
import type { CartId, PriceId } from '#platform/ids'
import type { JsonRow } from '#platform/json-row'
import { sql } from '#platform/sql'

/** A cart with what it buys, whether or not that is for sale, and its quote. */
export interface PricedCart {
  cart: billing.Cart
  app: apps.App
  price: catalog.ProductPrice
  quote: tax.Quote
  /** The latest attempt to pay for it, if any. */
  attempt: payments.Attempt | undefined
  /** Whether a buyer can still buy this. */
  is_for_sale: boolean
  /** What the same browser bought or is paying for in another cart, if anything. */
  other: billing.OtherPurchase | undefined
}

interface PricedRow extends billing.Cart {
  app: JsonRow<apps.App>
  price: JsonRow<catalog.ProductPrice>
  quote: JsonRow<tax.Quote>
  attempt: JsonRow<payments.Attempt> | null
  other: JsonRow<billing.OtherPurchase> | null
  is_live: boolean
}

/** A price that can be bought now, with its app, whether or not the app is for sale. */
export async function findPricedApp(
  db: Db,
  price_id: PriceId,
): Promise<Pick<PricedCart, 'app' | 'price'> | undefined> {
  const row = await db.maybe<Pick<PricedRow, 'app' | 'price'>>(sql`select
      ${apps.appAsJson(sql`products.app_id`)} as app,
      ${catalog.priceAsJson(sql`prices.id`)} as price
    from prices join products on products.id = prices.product_id
    where prices.id = ${price_id} and products.deleted_at is null and prices.deleted_at is null`)
  return row && { app: apps.appOf(row.app), price: row.price }
}

/** Reads everything that a checkout page needs with one statement. */
export async function findPricedCart(db: Db, id: CartId): Promise<PricedCart | undefined> {
  const row = await db.maybe<PricedRow>(sql`select ${billing.CART_COLUMNS},
      ${apps.appAsJson(sql`carts.app_id`)} as app,
      ${catalog.priceAsJson(sql`carts.price_id`)} as price,
      ${tax.quoteAsJson(sql`carts.tax_quote_id`)} as quote,
      ${payments.attemptOfCartAsJson(sql`carts.id`)} as attempt,
      ${billing.OTHER_PURCHASE_AS_JSON} as other,
      ${catalog.isPriceLive(sql`carts.price_id`)} as is_live
    from carts where id = ${id}`)
  if (!row) return undefined
  const { app: found, price, quote, attempt, other, is_live, ...cart } = row
  const app = apps.appOf(found)
  return {
    cart,
    app,
    price,
    quote: tax.quoteOf(quote),
    attempt: attempt ? payments.attemptOf(attempt) : undefined,
    is_for_sale: is_live && app.is_on_sale,
    other: other ? billing.otherPurchaseOf(other) : undefined,
  }
}
