/**
 * A checkout, from the buyer's details to a license (spec: Hosted checkout; rules 2 to 4).
 *
 * The intention to pay is recorded, the processor asked with no transaction open, and its answer
 * written in one transaction over all rooms. If the process dies in between, the attempt stays
 * open and `recover` finishes it by the same key. That gap alone is order lookup's `processing`.
 */
export { type Bill, bill } from './checkout/bill.ts'
export {
  type CardRefusal,
  cardRefusal,
  openCardPage,
  type TakenCard,
  takeCard,
} from './checkout/card.ts'
export { type Confirmed, confirm } from './checkout/confirm.ts'
export { identifyBuyer } from './checkout/identify.ts'
export { type Details, mayBuyAs, type Opened, openCart } from './checkout/open-cart.ts'
export { closeCartAttempt, type Resumed, reconcile, resume } from './checkout/reconcile.ts'
