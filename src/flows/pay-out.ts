/**
 * Payouts to sellers and affiliates: on request, and every Monday.
 *
 * A payout takes its ledger lines and is recorded before the processor is called, with no
 * transaction open, under the payout's id as its key. If the answer is lost, the request is
 * repeated under the same key. An amount that the bank returns becomes a line of the next payout.
 */
export { accountChanged, openOnboarding, refreshAccount } from './pay-out/account.ts'
export { payOut, readPayeeBalance } from './pay-out/pay.ts'
export { reconcilePayouts, settlePayout } from './pay-out/reconcile.ts'
export type { PayoutOutcome } from './pay-out/settle.ts'
export { payWeekly } from './pay-out/weekly.ts'
