/**
 * Payouts: what is owed to sellers and affiliates, and the transfers to their banks.
 *
 * Knows which lines of the ledger are available to a payee at a time, the payouts that take them,
 * the statement of each, and the payees' accounts at the processor. Owns `payouts`, `payout_lines`,
 * `payout_accounts`, and the tables that balances are read from: `unpaid_lines`, `payee_balances`
 * and `payee_unsummed`. Guarantees: a line is paid out once, a payout is the sum of its lines to
 * the cent, and the weekly payout decides about a payee once a week.
 */
export * from './accounts.ts'
export * from './app-payouts.ts'
export {
  accountOf,
  delayDays,
  isPayable,
  MINIMUM,
  MINIMUM_AT_LEAVING,
  mondayOf,
  NEVER_DELAYED,
  type Payee,
  type PayeeBalance,
  type Pending,
} from './available.ts'
export * from './payout-list.ts'
export * from './payouts.ts'
export * from './statements.ts'
export * from './unpaid-lines.ts'
