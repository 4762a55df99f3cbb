/**
 * Payment: the one way in which an invoice is paid, whatever it is for.
 *
 * An attempt to pay an invoice is on record before the processor hears of it (`charge`). The
 * processor is asked with no transaction open, and its answer is written once, in one transaction
 * with everything that follows from it (`settle`): the postings (`post`), then the license of a
 * purchase or the next period of a subscription. Where a crash or the network lost the answer,
 * `reconcile` asks the processor for it by the attempt's key. That gap alone is order lookup's
 * `processing`.
 */
export {
  type ChargeOutcome,
  chargeAttempt,
  closeAttempt,
  type Intended,
  intend,
  isWaived,
} from './payment/charge.ts'
export { divide } from './payment/divide.ts'
export { closeByHand, latestOutcome, reconcile, reconcileAttempt } from './payment/reconcile.ts'
export { type Settled, settle, settledOf } from './payment/settle.ts'
export { stuckBefore } from './payment/stuck.ts'
