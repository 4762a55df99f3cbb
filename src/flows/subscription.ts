/**
 * A subscription's life after the purchase (spec: States and transitions).
 *
 * What is due is claimed by `renewDue`: renewals, the calendar of retries, ends, pauses, reminders.
 * What people ask for is a file each. Every charge goes the one way: the bill and the intention on
 * record, the processor asked with no transaction open, the answer written in one transaction over
 * all rooms; where the answer was lost, `reconcileInvoices` asks for it by the same key.
 */
export { type Asker, setAutoRenew } from './subscription/auto-renew.ts'
export { cancelPlanChange, changePlan, type PlanChanged } from './subscription/change-plan.ts'
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
export { offerPlanChange, type PlanChangeOffer } from './subscription/plan-change-offer.ts'
export { plannedOffer } from './subscription/planned.ts'
export { closeInvoiceAttempt, reconcileInvoices, resumeInvoice } from './subscription/reconcile.ts'
export { type Round, renewDue } from './subscription/renew.ts'
export { settleInvoice } from './subscription/settle.ts'
