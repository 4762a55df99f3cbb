/**
 * A subscription's life after the purchase (spec: States and transitions).
 *
 * What is due is claimed by `renewDue`: renewals, the calendar of retries, ends, pauses, reminders.
 * What people ask for is a file each. What is due becomes an invoice, which `#flows/payment`
 * charges: `extend` begins the period that was paid, `dunning` retries one that was not.
 */
export { setAutoRenew } from './subscription/auto-renew.ts'
export { cancelPlanChange, changePlan, type PlanChanged } from './subscription/change-plan.ts'
export {
  type NextCharge,
  nextCharge,
  nextCharges,
  type Taxed,
  withTax,
} from './subscription/next-charge.ts'
export { pauseAtEnd } from './subscription/pause.ts'
export { changeCard, type Paid, payOwed } from './subscription/pay-owed.ts'
export { type PlanChangeQuote, quotePlanChange } from './subscription/plan-change-quote.ts'
export { plannedPrice } from './subscription/planned-price.ts'
export { type Round, renewDue } from './subscription/renew.ts'
