/**
 * A subscription after the purchase (spec: States and transitions).
 *
 * `renewDue` claims what is due: renewals, retries, ends, pauses, reminders. Each request of a
 * person has a file of its own. What is due becomes an invoice, which `#flows/payment` charges:
 * `extend` begins the period that was paid, `dunning` retries one that was not.
 */
export { setAutoRenew } from './subscription/auto-renew.ts'
export { cancelPlanChange, changePlan, type PlanChanged } from './subscription/change-plan.ts'
export { type GivenPlan, givePlan, type PlanGiven } from './subscription/comps.ts'
export { endNow } from './subscription/end-now.ts'
export { EXTENSION_DAYS, extendTrial, type TrialExtended } from './subscription/extend-trial.ts'
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
export { type Round, renewDue } from './subscription/renew.ts'
export { scheduledPrice } from './subscription/scheduled-price.ts'
export { resendKeyEmail } from './subscription/uncharged.ts'
