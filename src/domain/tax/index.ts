/**
 * Tax: what a state takes on a sale to a person in it.
 *
 * Knows the dated table of state rates (never edited, only superseded by a later row), which ZIP
 * lies where, and every quote ever given. Owns `tax_quotes`. Promises: a quote names the rule that
 * made it, and is charged as it stands. Spec: What the service does; rounding in platform/money.
 */
export { taxOn } from './quote.ts'
export { findQuote, type Quote, quote } from './quotes.ts'
export { type Rule, ruleFor } from './rates.ts'
export { stateOfZip } from './zip.ts'
