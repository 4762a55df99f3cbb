/**
 * Money to sellers and affiliates: on request, and on Mondays by the calendar.
 *
 * A payout takes ledger lines and is on record before the processor hears of it; the processor is
 * asked with no transaction open, under the payout's id; where its answer was lost, it is asked for
 * again under the same key. What the bank sends back is a line of the next payout.
 */
export { noteAccount, openOnboarding, refreshAccount } from './pay-out/account.ts'
export { type PayoutOutcome, payOut, standOf } from './pay-out/pay.ts'
export { reconcilePayouts, settlePayout } from './pay-out/reconcile.ts'
export { payeeTime } from './pay-out/time.ts'
export { payWeekly } from './pay-out/weekly.ts'
