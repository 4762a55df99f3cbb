import { type Cents, MILLION, share } from '#platform/money'
import type { Rule } from './rates.ts'

/** The tax on an amount, on top of it, rounded half up once: amount x taxable share x rate. */
export function taxOn(amount: Cents, rule: Rule): Cents {
  return share(amount, rule.rate_ppm * rule.taxable_ppm, MILLION * MILLION)
}
