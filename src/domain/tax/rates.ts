import { MILLION } from '#platform/money'
import table from './us-saas-sales-tax.json' with { type: 'json' }

/** One dated row of the table: from `effective_from` on, until a later row of the same state. */
export interface TaxRate {
  state: string
  saas: string
  /** The state's rate and the share of the price that it applies to, in millionths. */
  rate_ppm: number
  taxable_ppm: number
  /** A day in UTC, `YYYY-MM-DD`. */
  effective_from: string
  note?: string
}

/** A rate as it applies to one sale, with the id of its row in the table. */
export interface Rule {
  rule: string
  rate_ppm: number
  taxable_ppm: number
}

const RATES: readonly TaxRate[] = table.rows

/**
 * The rule for a state on a day. Only states that tax software sold to persons are charged; where
 * sources disagree or only cities tax, the rate is zero. Territories and military addresses have no
 * row.
 */
export function ruleFor(state: string, day: string, rates: readonly TaxRate[] = RATES): Rule {
  const rate = rates
    .filter((row) => row.state === state && row.effective_from <= day)
    .sort((left, right) => left.effective_from.localeCompare(right.effective_from))
    .at(-1)
  if (!rate) return { rule: `US-${state}:no-row`, rate_ppm: 0, taxable_ppm: MILLION }
  const rule = `US-${state}:${rate.effective_from}:${rate.saas}`
  if (rate.saas !== 'taxable') return { rule, rate_ppm: 0, taxable_ppm: rate.taxable_ppm }
  return { rule, rate_ppm: rate.rate_ppm, taxable_ppm: rate.taxable_ppm }
}
