/**
 * A refund, in full or in part (spec: States and transitions).
 *
 * The refundable amount is decided with the charge's row locked. The refund is recorded before the
 * processor is called, by the refund's id, with no transaction open; the answer is recorded in one
 * transaction over all modules. If the answer was lost, `reconcileRefunds` asks again under the
 * same key.
 */

export { refundMade } from './refund/made.ts'
export { quoteRefund, type RefundQuote } from './refund/quote.ts'
export { reconcileRefunds } from './refund/reconcile.ts'
export { type RefundInput, type RefundOutcome, refundCharge } from './refund/request.ts'
export { refundSettled } from './refund/settle.ts'
export type { RefundActor, RefundRefusal } from './refund/state.ts'
