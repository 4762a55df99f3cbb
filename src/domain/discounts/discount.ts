import type { DiscountId, ProductId } from '#platform/ids'
import { ENGLISH, type Locale } from '#platform/language/locale'
import { type Cents, cents, share } from '#platform/money'

/**
 * The terms of a code: how much it takes off, for whom, and when. Exactly one of `percent` and
 * `amount` is set.
 */
export interface DiscountTerms {
  percent: number | null
  /** In cents, before tax. */
  amount: Cents | null
  /** The number of periods of a subscription; null: all of them. */
  periods: number | null
  valid_from: Date | null
  /** When it stops being valid, exclusive. */
  valid_until: Date | null
  max_uses: number | null
  is_once_per_buyer: boolean
  is_first_purchase: boolean
  /** The products that it applies to; empty: all. */
  product_ids: readonly ProductId[]
}

/** A code of an app. */
export interface Discount extends DiscountTerms {
  id: DiscountId
  /** In upper case. */
  code: string
  is_active: boolean
}

/** Why a code does not apply to a purchase. */
export type DiscountRefusal =
  | 'unknown'
  | 'not_yet'
  | 'expired'
  | 'used_up'
  | 'other_product'
  | 'used_before'
  | 'not_first_purchase'

/** Why a code does not apply, in a sentence for the buyer. */
export function discountSentence(refusal: DiscountRefusal, { t }: Locale = ENGLISH): string {
  return t(`discount.${refusal}`)
}

/** A code as it is stored: without spaces around it, in upper case. */
export function normalizeCode(text: string): string {
  return text.trim().toUpperCase()
}

/** The amount that a discount takes off a price, in cents before tax; never more than the price. */
export function amountOff(
  { percent, amount }: Pick<DiscountTerms, 'percent' | 'amount'>,
  price: Cents,
): Cents {
  return cents(Math.min(price, percent === null ? amount! : share(price, percent, 100)))
}

/** Whether a discount applies to a product. */
export function isForProduct({ product_ids }: DiscountTerms, product_id: ProductId): boolean {
  return product_ids.length === 0 || product_ids.includes(product_id)
}

/** The facts about a purchase that decide whether a code applies. */
export interface DiscountedPurchase {
  product_id: ProductId
  /** How many other purchases use the code. */
  uses: number
  /** Whether this buyer has used it in an earlier purchase. */
  used_before: boolean
  /** Whether this buyer has bought from the app before. */
  bought_before: boolean
}

/** Why a code does not apply to a purchase at a time; undefined if it does. */
export function refusalOf(
  now: Date,
  discount: Discount,
  purchase: DiscountedPurchase,
): DiscountRefusal | undefined {
  const { valid_from, valid_until, max_uses } = discount
  if (!discount.is_active || (valid_until && valid_until <= now)) return 'expired'
  if (valid_from && now < valid_from) return 'not_yet'
  if (!isForProduct(discount, purchase.product_id)) return 'other_product'
  if (discount.is_first_purchase && purchase.bought_before) return 'not_first_purchase'
  if (discount.is_once_per_buyer && purchase.used_before) return 'used_before'
  return max_uses !== null && purchase.uses >= max_uses ? 'used_up' : undefined
}

/** A discount in a few words: `20% off for 3 periods`. */
export function discountText({ percent, amount, periods }: DiscountTerms): string {
  const off = percent === null ? `${ENGLISH.money(amount!)} off` : `${percent}% off`
  if (periods === null) return `${off} every period`
  return periods === 1 ? `${off} once` : `${off} for ${periods} periods`
}

/** The discount on a subscription's future periods; null if there is none. */
export interface RunningDiscount {
  discount_id: DiscountId | null
  /** The number of these periods; null for all of them. */
  discount_periods_left: number | null
}

/** The rest of a discount for later periods, after it applied to some. */
export function runningOf(discount: Discount | undefined, applied: number): RunningDiscount {
  return discount
    ? afterPeriods({ discount_id: discount.id, discount_periods_left: discount.periods }, applied)
    : NO_DISCOUNT
}

/** The rest of a running discount after it applied to some periods. */
export function afterPeriods(running: RunningDiscount, applied: number): RunningDiscount {
  const { discount_id, discount_periods_left: left } = running
  if (left === null) return { discount_id, discount_periods_left: null }
  return left > applied ? { discount_id, discount_periods_left: left - applied } : NO_DISCOUNT
}

const NO_DISCOUNT: RunningDiscount = { discount_id: null, discount_periods_left: null }
