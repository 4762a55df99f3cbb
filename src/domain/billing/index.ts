/**
 * Billing: carts, orders, subscriptions and invoices.
 *
 * Knows carts, the orders they become, subscriptions, the invoices of all of them, the fee, the
 * terms of a purchase, the dunning schedule and the cost of a plan change. Owns `carts`, `orders`,
 * `subscriptions`, `invoices` and `invoice_lines`. Guarantees: a cart becomes at most one order, a
 * period is invoiced once, and a fee is multiplied once. Spec: What the service does, 6; States and
 * transitions; Hosted checkout and management links.
 */
export { hasExpired, maySignIn } from './cart.ts'
export * from './carts.ts'
export {
  type Dunning,
  dunningEnd,
  FAULT_SECONDS,
  firstFailure,
  isHardDecline,
  nextRetry,
  RETRY_DAYS,
  retryAt,
} from './dunning.ts'
export {
  type BroughtBy,
  commissionOn,
  DISPUTE_COST,
  type Fee,
  type FeeTerms,
  FIXED_FEE,
  feeOn,
  feeRate,
  NO_FEE,
} from './fee.ts'
export * from './found-licenses.ts'
export * from './invoice-lines.ts'
export * from './invoice-list.ts'
export { invoiceNumber } from './invoice-number.ts'
export * from './invoice-payments.ts'
export * from './invoices.ts'
export { addDraft, addInvoice } from './new-invoices.ts'
export { dueAgain, type NextStep, nextStep } from './next-step.ts'
export * from './orders.ts'
export * from './other-purchase.ts'
export { type BillingCycle, type Period, periodOf, periodPaid } from './period.ts'
export {
  type CurrentPeriod,
  type PlanChange,
  planChange,
  type Rate,
  unusedPart,
} from './plan-change.ts'
export * from './receipts.ts'
export { remindedAt, reminderOrEnd } from './reminders.ts'
export { CART_SWEEP, DRAFT_SWEEP } from './retention.ts'
export * from './reversal.ts'
export {
  type AppInvoice,
  DEDUCTED_BY_DISPUTE,
  findSellerInvoice,
  invoiceStatuses,
  invoicesOfLicense,
  SELLER_INVOICE_STATUSES,
  type SellerInvoice,
  type SellerInvoiceStatus,
} from './seller-invoices.ts'
export * from './subscribers.ts'
export * from './subscriptions.ts'
export { type Terms, termsOf } from './terms.ts'
export * from './timeline.ts'
