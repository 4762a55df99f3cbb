/**
 * A refund: money goes back to a buyer, in full or in part (spec: States and transitions).
 *
 * What may go back is decided with the charge's row locked; the refund is on record before the
 * processor is asked, by its id, with no transaction open; the answer is written in one transaction
 * over all rooms. Where the answer was lost, `reconcileRefunds` asks again under the same key.
 */
export { type RefundAsked, type RefundOutcome, refundCharge } from './refund/ask.ts'
export { refundMade } from './refund/made.ts'
export { quoteRefund, type RefundQuote } from './refund/quote.ts'
export { reconcileRefunds } from './refund/reconcile.ts'
export { refundSettled } from './refund/settle.ts'
export type { RefundActor, RefundRefusal } from './refund/standing.ts'
