/**
 * Billing: the trade itself.
 *
 * Knows carts on their way through the checkout, the orders they become, subscriptions, the fee
 * and the terms of a purchase. Owns `carts`, `orders` and `subscriptions`. Promises: a cart becomes
 * one order at the most, and a fee is multiplied once. Spec: What the service does, 6; Hosted
 * checkout and management links.
 */
export * from './carts.ts'
export { type BroughtBy, commissionOn, type FeeTerms, feeOn } from './fee.ts'
export * from './orders.ts'
export * from './subscriptions.ts'
export { type Terms, termsOf } from './terms.ts'
