import { isoDate } from '#platform/calendar'
import type { Cents } from '#platform/money'
import { taxOn } from './quote.ts'
import { type Rule, ruleFor } from './rates.ts'
import type { TaxAddress } from './zip.ts'

/** A sale to a buyer in the United States; `amount` is before tax, in cents. */
export interface TaxedSale extends TaxAddress {
  amount: Cents
}

/** The tax on a sale, and the rule behind it. */
export interface Figures extends Rule {
  tax: Cents
}

/**
 * A tax service's own record of sales and refunds, from which it makes its reports. Each reference
 * is recorded once; undefined is returned for what it does not accept.
 */
export interface TaxRecords {
  /** Records a sale that was quoted by a rule of the service; returns its id there. */
  sale(sale: { rule: string; reference: string }): Promise<string | undefined>
  /** Records a refund of a sale, tax included. */
  reversal(reversal: {
    transaction_id: string
    reference: string
    amount: Cents
  }): Promise<string | undefined>
  /** Records that a reversal no longer applies. */
  undoing(undoing: { transaction_id: string; reference: string }): Promise<string | undefined>
}

/** The tax service did not answer: nothing is known, and nothing was recorded. */
export class TaxUnreachable extends Error {}

/**
 * The port to the tax computation. It is called before a transaction opens, and its answer is
 * stored by `addQuote` inside. It may throw TaxUnreachable.
 */
export interface TaxProvider {
  readonly name: 'table' | 'stripe'
  quote(now: Date, sale: TaxedSale): Promise<Figures>
  /** Absent if the provider keeps no record of its own. */
  readonly records?: TaxRecords
  /** Whether a rate may have started since a quote that is less than 24 hours old. */
  mayDiffer(now: Date, quote: { state: string; rule: string; created_at: Date }): boolean
}

/** The embedded table of state rates; no service is called. */
export const rateTable: TaxProvider = {
  name: 'table',
  async quote(now, { state, amount }) {
    const rule = ruleFor(state, isoDate(now))
    return { ...rule, tax: taxOn(amount, rule) }
  },
  mayDiffer: (now, { state, rule }) => ruleFor(state, isoDate(now)).rule !== rule,
}
