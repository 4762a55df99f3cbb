/**
 * Tax: the sales tax of each state.
 *
 * Knows the dated table of state rates (never edited, only superseded by a later row), the state of
 * each ZIP code, every quote, what is owed to each state for each month, and how it was filed. Owns
 * `tax_quotes`, `remittances` and the sums of tax by month and state, which always agree with the
 * ledger. Guarantees: a quote names the rule that made it, and is charged unchanged while it is
 * valid; a state's month is filed once, after the months before it. The computation is behind a
 * port: the table, or the processor's tax service. Spec: What the service does; rounding in
 * platform/money.
 */
export {
  endOfMonth,
  type Filed,
  type Liability,
  liabilitiesOf,
  monthBefore,
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
export { addQuote, getQuote, newQuote, type Quote, quoteAsJson, quoteOf } from './quotes.ts'
export { type Rule, ruleFor } from './rates.ts'
export * from './records.ts'
export * from './remittances.ts'
export * from './reports.ts'
export { QUOTE_SWEEP } from './retention.ts'
export { findWrongSums, sumTaxes, taxInLedger } from './sums.ts'
export { isTerritory, stateOfZip, type TaxAddress } from './zip.ts'
