import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as tax from '#domain/tax'
import type { Db } from '#platform/db'
import type { CartId } from '#platform/ids'
import type { JsonRow } from '#platform/json-row'
import { sql } from '#platform/sql'

/** A cart with what it buys, whether or not that is for sale, and its quote. */
export interface PricedCart {
  cart: billing.Cart
  app: apps.App
  price: catalog.ProductPrice
  quote: tax.Quote
}

interface PricedRow extends billing.Cart {
  app: JsonRow<apps.App>
  price: JsonRow<catalog.ProductPrice>
  quote: JsonRow<tax.Quote>
}

/** Reads by one statement what every page of the checkout needs. */
export async function findPricedCart(db: Db, id: CartId): Promise<PricedCart | undefined> {
  const row = await db.maybe<PricedRow>(sql`select ${billing.CART_COLUMNS},
      ${apps.appAsJson(sql`carts.app_id`)} as app,
      ${catalog.priceAsJson(sql`carts.price_id`)} as price,
      ${tax.quoteAsJson(sql`carts.tax_quote_id`)} as quote
    from carts where id = ${id}`)
  if (!row) return undefined
  const { app, price, quote, ...cart } = row
  return { cart, app: apps.appOf(app), price, quote: tax.quoteOf(quote) }
}
