/**
 * A checkout, from the buyer's details to a license (spec: Hosted checkout; rules 2 to 4).
 *
 * A confirmed cart becomes a draft invoice, which `#flows/payment` charges. Once it is paid,
 * `fulfill` turns it into an account, a license, an order and a subscription.
 */
export {
  billingAddress,
  type CardPageOutcome,
  type CardRefusal,
  cardRefusal,
  openCardPage,
  storeEnteredCard,
} from './checkout/card.ts'
export {
  type DiscountRequest,
  discountOfCart,
  type ReadDiscount,
  readDiscount,
  requote,
} from './checkout/cart-discount.ts'
export { type Confirmed, confirm } from './checkout/confirm.ts'
export { type ContinuableLicense, cartRefusal, findContinuable } from './checkout/continued.ts'
export { identifyBuyer } from './checkout/identify.ts'
export { type Details, mayBuyAs, type Opened, openCart } from './checkout/open-cart.ts'
export { findPricedApp, findPricedCart, type PricedCart } from './checkout/priced-cart.ts'
export { type Resumed, resume } from './checkout/resume.ts'
export { type CheckoutTotals, checkoutTotals } from './checkout/totals.ts'
