import type { CodeDiscount, Subscription } from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import * as discounts from '#domain/discounts'
import type { Db } from '#platform/db'
import { type Cents, cents } from '#platform/money'

/**
 * What the discount of a subscription takes off the next period at a price: undefined if it has
 * none left, or none for the price's product. A seller who turns a code off changes nothing here.
 */
export async function runningDiscount(
  db: Db,
  { discount_id }: Pick<Subscription, 'discount_id'>,
  { amount: price, product_id }: Pick<ProductPrice, 'amount' | 'product_id'>,
): Promise<CodeDiscount | undefined> {
  if (discount_id === null) return undefined
  const discount = await discounts.getDiscount(db, discount_id)
  if (!discounts.isForProduct(discount, product_id)) return undefined
  return { code: discount.code, amount: discounts.amountOff(discount, price) }
}

/** The price of the next period less the discount of a subscription, in cents before tax. */
export async function discountedPrice(
  db: Db,
  subscription: Pick<Subscription, 'discount_id'>,
  price: Pick<ProductPrice, 'amount' | 'product_id'>,
): Promise<Cents> {
  return lessDiscount(price.amount, await runningDiscount(db, subscription, price))
}

/** A price less a discount, in cents before tax. */
export function lessDiscount(price: Cents, discount: CodeDiscount | undefined): Cents {
  return cents(price - (discount?.amount ?? 0))
}
