import { type Cents, cents, share, sum, ZERO } from '#platform/money'
import type { Invoice } from './invoices.ts'

/** What a refund or a dispute reverses of an invoice: `amount`, tax included, and its parts. */
export interface Reversal {
  amount: Cents
  tax: Cents
  /** The reversed part of the service's fee. The fixed part is kept. */
  fee: Cents
  /** The part of the fee that was the add-on's. */
  add_on_fee: Cents
  commission: Cents
}

/** Nothing of an invoice. */
export const NO_REVERSAL: Reversal = {
  amount: ZERO,
  tax: ZERO,
  fee: ZERO,
  add_on_fee: ZERO,
  commission: ZERO,
}

/** The sum of several reversals, by part. */
export function sumReversals(...parts: Reversal[]): Reversal {
  return parts.reduce(
    (all, part) => ({
      amount: sum(all.amount, part.amount),
      tax: sum(all.tax, part.tax),
      fee: sum(all.fee, part.fee),
      add_on_fee: sum(all.add_on_fee, part.add_on_fee),
      commission: sum(all.commission, part.commission),
    }),
    NO_REVERSAL,
  )
}

/** What a reversal costs the seller, in cents: its price less the fee that is returned. */
export function sellerCost({ amount, tax, fee }: Reversal): Cents {
  return cents(amount - tax - fee)
}

/** The figures of an invoice that a refund divides. */
export type Divided = Pick<
  Invoice,
  'amount' | 'tax' | 'fee' | 'fixed_fee' | 'add_on_fee' | 'commission'
>

/**
 * Divides a refund of `amount`, tax included, of an invoice of which `before` was already refunded.
 * Each part is its share of everything refunded so far, minus its earlier refunds. Whatever the
 * steps, a fully refunded invoice has therefore refunded each part to the cent. If a dispute
 * counted in `before` has since been won, or a refund was refused, a part of the others may be off
 * by a cent. The next one is still never negative, and its tax never exceeds its amount. Throws a
 * RangeError for zero, or for more than is left.
 */
export function reversalOf(invoice: Divided, before: Reversal, amount: Cents): Reversal {
  const whole = sum(invoice.amount, invoice.tax)
  const after = sum(before.amount, amount)
  if (amount <= 0 || after > whole)
    throw new RangeError(`${amount} is not what is left of ${whole}`)
  const next = (part: Cents, reversed: Cents) => {
    return cents(Math.max(0, share(part, after, whole) - reversed))
  }
  const without = cents(invoice.fee - invoice.fixed_fee - invoice.add_on_fee)
  const add_on_fee = next(invoice.add_on_fee, before.add_on_fee)
  return {
    amount,
    tax: cents(Math.min(amount, next(invoice.tax, before.tax))),
    fee: sum(next(without, cents(before.fee - before.add_on_fee)), add_on_fee),
    add_on_fee,
    commission: next(invoice.commission, before.commission),
  }
}
