/**
 * Payments: money asked for, and the answer.
 *
 * Knows the port to the processor, the attempts to charge, the charges that cleared, the cards that
 * paid, what went back by refunds and disputes, and what the processor told by itself. Owns
 * `attempts`, `charges`, `cards`, `refunds`, `disputes`, `processor_events`, `balance_transactions` and `closed_days`. Promises: an attempt
 * and a refund are on record before the processor hears of them, one buyer has one open attempt for
 * an app, what was told is handled once, and no card number comes here.
 */
export * from './attempts.ts'
export { cardName } from './card-name.ts'
export * from './cards.ts'
export * from './charges.ts'
export * from './closed-days.ts'
export { declineSentence } from './decline.ts'
export * from './disputes.ts'
export * from './events.ts'
export * from './evidence.ts'
export * from './listings.ts'
export * from './pending.ts'
export * from './processor.ts'
export * from './refunds.ts'
export { PAYMENT_SWEEPS } from './retention.ts'
export { type StatementText, statementText } from './statement.ts'
