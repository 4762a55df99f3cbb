/**
 * Ledger: where every cent went.
 *
 * Knows the chart of accounts and one pure posting for each event. Owns `ledger_transactions` and
 * `ledger_entries`, both append only. Promises: every posting sums to zero, asserted here and by
 * the database, an event is posted once, and every balance can be told for any instant of the past.
 */
export * from './ledger.ts'
export * from './posting.ts'
