/**
 * Payment: the only way in which an invoice is paid, whatever it is for.
 *
 * An attempt to pay an invoice is recorded before the processor is called (`charge`). The processor
 * is asked with no transaction open, and its answer is recorded once, in one transaction with
 * everything that follows from it (`settle`): the postings (`post`), then the license of a purchase
 * or the next period of a subscription. If a crash or the network lost the answer, `reconcile` asks
 * the processor for it by the attempt's key. Only this gap makes order lookup return `processing`.
 */
export {
  type ChargeOutcome,
  chargeAttempt,
  closeAttempt,
  isWaived,
  openAttempt,
} from './payment/charge.ts'
export {
  type Continuation,
  lockContinued,
  type NotContinued,
  notContinued,
} from './payment/continuation.ts'
export { divide } from './payment/divide.ts'
export { pay } from './payment/pay.ts'
export {
  closeByHand,
  latestOutcome,
  reconcile,
  reconcileAttempt,
  reconcileChallenges,
  reconcileLost,
} from './payment/reconcile.ts'
export { type Answered, type Settled, settleAll, settledOf } from './payment/settle.ts'
export { stuckBefore } from './payment/stuck.ts'
