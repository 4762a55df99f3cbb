/**
 * Ledger: where every cent went.
 *
 * Knows the chart of accounts and one pure posting for each event. Owns `ledger_transactions` and
 * `ledger_entries`, both append only. Promises: every posting sums to zero, asserted here and by
 * the database, and an event is posted once.
 */
export { post } from './ledger.ts'
export { type Account, type Line, type Posting, sale } from './posting.ts'
