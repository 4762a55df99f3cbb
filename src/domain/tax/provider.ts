import { isoDate } from '#platform/calendar'
import type { Cents } from '#platform/money'
import { taxOn } from './quote.ts'
import { type Rule, ruleFor } from './rates.ts'

/** A sale to somebody in the United States; `amount` is before tax. */
export interface TaxedSale {
  state: string
  zip: string
  amount: Cents
}

/** What is owed on a sale, and the rule that says so. */
export interface Figures extends Rule {
  tax: Cents
}

/**
 * A tax service's own record of sales and of what went back, from which it makes its reports. Each
 * reference is recorded once; what it does not take is undefined.
 */
export interface TaxRecords {
  /** Records a sale that was quoted by a rule of the service's; returns its name for it. */
  sale(sale: { rule: string; reference: string }): Promise<string | undefined>
  /** Records that so much of a sale went back, tax included. */
  reversal(reversal: {
    transaction_id: string
    reference: string
    amount: Cents
  }): Promise<string | undefined>
  /** Records that what a reversal took back is owed again. */
  undoing(undoing: { transaction_id: string; reference: string }): Promise<string | undefined>
}

/** The tax service did not answer: nothing is known, and nothing has happened. */
export class TaxUnreachable extends Error {}

/**
 * The port to whoever works out the tax. It is asked before a transaction opens, and its answer
 * stored by `keepQuote` inside. It may throw TaxUnreachable.
 */
export interface TaxProvider {
  readonly name: 'table' | 'stripe'
  quote(now: Date, sale: TaxedSale): Promise<Figures>
  /** Absent where the provider keeps no record of its own. */
  readonly records?: TaxRecords
  /** Tells whether a rate may have started since a quote that is less than 24 hours old. */
  mayDiffer(now: Date, quote: { state: string; rule: string; created_at: Date }): boolean
}

/** The embedded table of state rates: no one outside is asked. */
export const rateTable: TaxProvider = {
  name: 'table',
  async quote(now, { state, amount }) {
    const rule = ruleFor(state, isoDate(now))
    return { ...rule, tax: taxOn(amount, rule) }
  },
  mayDiffer: (now, { state, rule }) => ruleFor(state, isoDate(now)).rule !== rule,
}
