/**
 * Tax: what a state takes on a sale to a person in it.
 *
 * Knows the dated table of state rates (never edited, only superseded by a later row), which ZIP
 * lies where, every quote ever given, what is owed to each state for each month, and how it was
 * filed. Owns `tax_quotes`, `remittances` and the sums of tax by month and state. Its sums and the
 * lines since always come to what the ledger has. Promises: a quote names the rule that made it, and is
 * charged as it stands, while it holds; a state's month is filed once, after those before it. Who
 * works the tax out is behind a port: the table, or the processor's tax service. Spec: What the
 * service does; rounding in platform/money.
 */
export {
  endOfMonth,
  type Filed,
  type Liability,
  liabilitiesOf,
  monthOf,
  type StateMonth,
  settleMonth,
} from './liability.ts'
export {
  type Figures,
  rateTable,
  type TaxedSale,
  type TaxProvider,
  type TaxRecords,
  TaxUnreachable,
} from './provider.ts'
export { taxOn } from './quote.ts'
export { isQuoteValid } from './quote-validity.ts'
export { findQuote, keepQuote, type Quote } from './quotes.ts'
export { type Rule, ruleFor } from './rates.ts'
export * from './records.ts'
export * from './remittances.ts'
export * from './reports.ts'
export { QUOTE_SWEEP } from './retention.ts'
export { sumTaxes, taxInLedger, wrongSums } from './sums.ts'
export { stateOfZip } from './zip.ts'
