import { type Cents, cents, share, sum, ZERO } from '#platform/money'
import type { Invoice } from './invoices.ts'

/** What was taken back of a bill: `amount` with its tax, and the parts of it. */
export interface TakenBack {
  amount: Cents
  tax: Cents
  /** Of the service's whole fee; the fixed part stays. */
  fee: Cents
  /** What of the fee was the add-on's. */
  add_on_fee: Cents
  commission: Cents
}

export const NOTHING_BACK: TakenBack = {
  amount: ZERO,
  tax: ZERO,
  fee: ZERO,
  add_on_fee: ZERO,
  commission: ZERO,
}

/** Parts together. */
export function togetherBack(...parts: TakenBack[]): TakenBack {
  return parts.reduce(
    (all, part) => ({
      amount: sum(all.amount, part.amount),
      tax: sum(all.tax, part.tax),
      fee: sum(all.fee, part.fee),
      add_on_fee: sum(all.add_on_fee, part.add_on_fee),
      commission: sum(all.commission, part.commission),
    }),
    NOTHING_BACK,
  )
}

/** A bill's figures, as far as a refund divides them. */
export type Divided = Pick<
  Invoice,
  'amount' | 'tax' | 'fee' | 'fixed_fee' | 'add_on_fee' | 'commission'
>

/**
 * What goes back with `amount` of a bill, tax included, of which `before` went back already
 * (decided: fee). Each part is its share of all that went back by then, less what it gave before:
 * so whatever the steps, a bill that went back whole gave back each part to the cent. RangeError
 * for nothing, or for more than is left.
 */
export function takeBack(bill: Divided, before: TakenBack, amount: Cents): TakenBack {
  const whole = sum(bill.amount, bill.tax)
  const after = sum(before.amount, amount)
  if (amount <= 0 || after > whole)
    throw new RangeError(`${amount} is not what is left of ${whole}`)
  const next = (part: Cents, taken: Cents) => cents(share(part, after, whole) - taken)
  const without = cents(bill.fee - bill.fixed_fee - bill.add_on_fee)
  const add_on_fee = next(bill.add_on_fee, before.add_on_fee)
  return {
    amount,
    tax: next(bill.tax, before.tax),
    fee: sum(next(without, cents(before.fee - before.add_on_fee)), add_on_fee),
    add_on_fee,
    commission: next(bill.commission, before.commission),
  }
}
