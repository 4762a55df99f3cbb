/**
 * Discounts: codes that take a share or an amount off a price.
 *
 * Knows an app's codes, what each takes off, for how many periods, who may use it, and which
 * purchases used it. Owns `discount_codes` and `discount_uses`. Guarantees: a code is unique in its
 * app, in upper and lower case alike, its terms never change, and no more purchases use it than it
 * allows.
 */
export * from './codes.ts'
export {
  afterPeriods,
  amountOff,
  type DiscountRefusal,
  type DiscountTerms,
  discountSentence,
  discountText,
  isForProduct,
  normalizeCode,
  type RunningDiscount,
  refusalOf,
  runningOf,
} from './discount.ts'
export {
  NEW_DISCOUNT_FIELDS,
  type NewDiscount,
  type ReadNewDiscount,
  readNewDiscount,
} from './new-discount.ts'
