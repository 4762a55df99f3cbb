import { addDays } from '#platform/calendar'
import { type Cents, ZERO } from '#platform/money'
import type { Card } from './processor.ts'

/** The last month in which a card works. */
export type CardExpiry = Pick<Card, 'exp_month' | 'exp_year'>

/** The expiry as it is printed on the card: `03/27`. */
export function cardExpiry({ exp_month, exp_year }: CardExpiry): string {
  return [exp_month, exp_year % 100].map((part) => String(part).padStart(2, '0')).join('/')
}

/** A year ahead, the owner does not have the next card yet. */
const NOTICE_DAYS = 45

/**
 * Whether the owner is asked for another card: this one expires before a charge, and the charge is
 * near and not of nothing. A card works until its month is over, in UTC.
 */
export function expiresFirst(
  { exp_month, exp_year }: CardExpiry,
  charge: { at: Date; now: Date; amount: Cents },
): boolean {
  const isNear = charge.at <= addDays(charge.now, NOTICE_DAYS)
  return isNear && charge.amount > ZERO && charge.at.getTime() >= Date.UTC(exp_year, exp_month)
}
