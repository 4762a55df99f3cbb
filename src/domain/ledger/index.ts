/**
 * Ledger: double-entry books of every cent.
 *
 * Knows the chart of accounts, one pure posting for each event, and what staff booked by hand. Owns
 * `ledger_transactions`, `ledger_entries`, `write_offs`, `write_off_reversals`, `buyer_payments`,
 * `buyer_payment_parts`, `excess_repayments`, `excess_parts` and `suspense_bookings`, all append
 * only; `buyer_balances`, which a trigger keeps; `ledger_checks`, the result of the last check; and
 * `ledger_proofs`, the months that a check proved. Guarantees: every posting sums to zero, asserted
 * here and by the database, an event is posted once, and every balance can be computed for any past
 * instant.
 */
export * from './account.ts'
export * from './buyer-balances.ts'
export * from './checks.ts'
export * from './excess.ts'
export * from './ledger.ts'
export type { Line, Posting } from './lines.ts'
export * from './posting.ts'
export * from './proofs.ts'
export * from './staff-bookings.ts'
export * from './suspense.ts'
