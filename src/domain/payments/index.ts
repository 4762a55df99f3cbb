/**
 * Payments: charges, refunds and disputes at the processor.
 *
 * Knows the port to the processor, the attempts to charge, the charges that succeeded, the cards
 * that paid, refunds, disputes, an app's customers, and the processor's events. Owns `attempts`,
 * `charges`, `cards`, `refunds`, `reissued_refunds`, `disputes`, `customers`, `processor_events`,
 * `balance_transactions` and `closed_days`. Guarantees: an attempt and a refund are recorded before
 * the processor is called, one buyer has one pending attempt for an app, an event is handled once,
 * and no card number is ever received.
 */
export * from './attempts.ts'
export { cardExpiry, expiresFirst } from './card-expiry.ts'
export { cardName } from './card-name.ts'
export * from './cards.ts'
export * from './charges.ts'
export * from './closed-days.ts'
export * from './customers.ts'
export { declineSentence, declineTitle, mayBeMistyped, needsOtherCard } from './decline.ts'
export * from './deletions.ts'
export * from './disputes.ts'
export * from './events.ts'
export * from './evidence.ts'
export * from './license-list.ts'
export * from './pending-events.ts'
export * from './processor.ts'
export * from './processor-event.ts'
export * from './purchase-locks.ts'
export * from './records.ts'
export * from './refunds.ts'
export * from './reissued-refunds.ts'
export { PAYMENT_SWEEPS } from './retention.ts'
export { isSlow } from './slow.ts'
export { type StatementText, statementText } from './statement.ts'
