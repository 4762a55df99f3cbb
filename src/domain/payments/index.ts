/**
 * Payments: money asked for, and the answer.
 *
 * Knows the port to the processor, the attempts to charge, the charges that cleared and the cards
 * that paid. Owns `attempts`, `charges` and `cards`. Promises: an attempt is on record before the
 * processor hears of it, one buyer has one open attempt for an app, and no card number comes here.
 */
export * from './attempts.ts'
export { cardName } from './card-name.ts'
export * from './cards.ts'
export * from './charges.ts'
export { declineSentence } from './decline.ts'
export * from './processor.ts'
