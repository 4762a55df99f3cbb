import type { AppId, ProductId } from '#platform/ids'
import type { AnswerRecord, Bought, OfferedCode } from './record.ts'

/** A paid invoice, as far as its discount depends on it. */
export interface Discounted {
  app_id: AppId
  product_id: ProductId
  price_amount: number
  /** The product of the purchase, and what a discount took off it. */
  bought_product_id: ProductId
  bought_discount: number
}

/**
 * What discounts take off the paid invoices of a license, earliest first: of the code that the
 * buyer entered, by the terms that the seller gave it, for as many periods as they say. Whether a
 * purchase had a code that has limits, or that its seller was creating or switching, is read from
 * its invoice; its uses have rules of their own.
 */
export function discountsOf(
  mine: readonly Discounted[],
  bought: Bought,
  record: AnswerRecord,
): number[] {
  const [first] = mine
  const code = record.codes.find(
    (each) => each.app_id === first?.app_id && each.code === bought.code,
  )
  const isUsed =
    code !== undefined &&
    isFor(code, first!.bought_product_id) &&
    ((code.is_sure && bought.was_sure) || first!.bought_discount > 0)
  let left = isUsed ? (code.periods ?? Number.POSITIVE_INFINITY) : 0
  return mine.map(({ price_amount, product_id }) => {
    if (!code || left === 0 || !isFor(code, product_id)) return 0
    left--
    return Math.min(price_amount, offOf(code, price_amount))
  })
}

function isFor({ product_ids }: OfferedCode, product_id: ProductId): boolean {
  return product_ids.length === 0 || product_ids.includes(product_id)
}

function offOf({ percent, amount }: OfferedCode, price: number): number {
  return percent === null ? amount! : Math.floor((2 * price * percent + 100) / 200)
}
