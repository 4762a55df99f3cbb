import { addDays, readDay } from '#platform/calendar'
import type { ProductId } from '#platform/ids'
import { cents, readAmount } from '#platform/money'
import type { FieldFault } from '#platform/problem'
import { type DiscountTerms, normalizeCode } from './discount.ts'

/** The text fields of a new code, as a seller enters them. */
export const NEW_DISCOUNT_FIELDS = [
  'code',
  'amount',
  'unit',
  'lasts',
  'periods',
  'valid_from',
  'valid_until',
  'max_uses',
] as const

/** A new code as a seller enters it. */
export interface NewDiscount extends Record<(typeof NEW_DISCOUNT_FIELDS)[number], string> {
  is_once_per_buyer: boolean
  is_first_purchase: boolean
  /** Empty: all products. */
  product_ids: ProductId[]
}

/** A new code with its terms, or everything that is wrong with it. */
export type ReadNewDiscount = { code: string; terms: DiscountTerms } | { faults: FieldFault[] }

const MAX_PERIODS = 120
const MAX_USES = 1_000_000

/**
 * Parses a new code at a time. Days are in UTC, and the last one is valid until its end. `products`
 * are those that it can be limited to.
 */
export function readNewDiscount(
  now: Date,
  entered: NewDiscount,
  products: readonly ProductId[],
): ReadNewDiscount {
  const faults: FieldFault[] = []
  const fail = (path: string, message: string) => {
    faults.push({ path, message })
    return null
  }
  const code = normalizeCode(entered.code)
  if (!/^[A-Z0-9-]{3,32}$/.test(code)) {
    fail('code', 'Use 3 to 32 characters: A to Z, digits and hyphens.')
  }
  const off = offOf(entered, fail)
  const periods = periodsOf(entered, fail)
  const valid_from = dayOf(entered.valid_from, () => fail('valid_from', 'Enter a valid day.'))
  const last = dayOf(entered.valid_until, () => fail('valid_until', 'Enter a valid day.'))
  const valid_until = last && addDays(last, 1)
  if (valid_until && valid_until <= now) fail('valid_until', 'Must be today or later.')
  else if (valid_until && valid_from && valid_until <= valid_from) {
    fail('valid_until', 'Must not be before the first day.')
  }
  const max_uses =
    entered.max_uses.trim() === ''
      ? null
      : (wholeOf(entered.max_uses, MAX_USES) ??
        fail('max_uses', `Enter a whole number from 1 to ${MAX_USES.toLocaleString('en-US')}.`))
  const { is_once_per_buyer, is_first_purchase, product_ids } = entered
  if (product_ids.some((id) => !products.includes(id)))
    fail('product_ids', 'Choose plans of this app.')
  if (faults.length > 0) return { faults }
  const limits = { max_uses, is_once_per_buyer, is_first_purchase, product_ids }
  return { code, terms: { ...off, periods, valid_from, valid_until, ...limits } }
}

type Fail = (path: string, message: string) => null

function offOf({ amount, unit }: NewDiscount, fail: Fail) {
  if (unit === 'percent') {
    const percent = wholeOf(amount.trim().replace(/%$/, ''), 100)
    if (percent === undefined) fail('amount', 'Enter a whole percentage from 1 to 100.')
    return { percent: percent ?? null, amount: null }
  }
  const dollars = readAmount(amount)
  const isAllowed = unit === 'dollars' && dollars !== undefined && dollars > 0
  if (!isAllowed) fail('amount', 'Enter an amount in dollars, such as 5 or 4.50.')
  return { percent: null, amount: isAllowed ? dollars : cents(0) }
}

function periodsOf({ lasts, periods }: NewDiscount, fail: Fail): number | null {
  if (lasts === 'forever') return null
  if (lasts === 'once') return 1
  return (
    wholeOf(periods, MAX_PERIODS) ??
    fail('periods', `Enter a whole number from 1 to ${MAX_PERIODS}.`)
  )
}

function wholeOf(text: string, most: number): number | undefined {
  const value = /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text.trim()) : undefined
  return value !== undefined && value <= most ? value : undefined
}

/** The start of a day of this century in UTC; null for an empty field, and for a fault. */
function dayOf(text: string, fail: () => null): Date | null {
  const day = text.trim()
  if (day === '') return null
  return (day.startsWith('20') && readDay(day)) || fail()
}
