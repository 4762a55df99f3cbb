/**
 * A subscription's life after the purchase (spec: States and transitions).
 *
 * What is due is claimed by `renewDue`: renewals, the calendar of retries, ends, pauses, reminders.
 * What people ask for is a file each. Every charge goes the one way: the bill and the intention on
 * record, the processor asked with no transaction open, the answer written in one transaction over
 * all rooms; where the answer was lost, `recoverInvoices` asks for it by the same key.
 */
export { type Asker, setAutoRenew } from './subscription/auto-renew.ts'
export { cancelMove, type Moved, movePlan } from './subscription/change-plan.ts'
export type { InvoiceOutcome } from './subscription/charge.ts'
export {
  type NextCharge,
  nextCharge,
  nextCharges,
  type Taxed,
  withTax,
} from './subscription/next-charge.ts'
export { pauseAtEnd } from './subscription/pause.ts'
export { changeCard, type Paid, payOwed } from './subscription/pay-owed.ts'
export { type MoveOffer, offerMove } from './subscription/plan-offer.ts'
export { plannedOffer } from './subscription/planned.ts'
export { closeInvoiceAttempt, recoverInvoices, resumeInvoice } from './subscription/recover.ts'
export { type Round, renewDue } from './subscription/renew.ts'
export { settleInvoice } from './subscription/settle.ts'
