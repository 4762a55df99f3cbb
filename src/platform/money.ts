/** Whole US cents. The only shape in which money is computed, stored or compared. */
export type Cents = number & { readonly unit: 'cents' }

/**
 * Checks that a number is a whole amount of cents within the safe integers; throws a RangeError.
 */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole amount of cents: ${value}`)
  return value as Cents
}

export const ZERO = cents(0)

const AMOUNT = /^(0|[1-9]\d{0,8})\.(\d{2})$/

/** Parses a strict decimal text such as `12.00`; undefined for anything else. */
export function parseAmount(text: string): Cents | undefined {
  const parts = AMOUNT.exec(text)
  return parts ? cents(Number(parts[1]) * 100 + Number(parts[2])) : undefined
}

const TYPED = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{0,2}))?$/

/** Parses an amount as a person types it, such as `$1,200` or `9.5`; undefined if it is none. */
export function readAmount(text: string): Cents | undefined {
  const [, whole, rest = ''] = TYPED.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const dollars = whole.replaceAll(',', '').replace(/^0+(?=\d)/, '')
  return parseAmount(`${dollars}.${rest.padEnd(2, '0')}`)
}

/** An amount as the API spells it: a decimal text with two decimals, `1299` → `12.99`. */
export function formatAmount(amount: Cents): string {
  const digits = String(Math.abs(amount)).padStart(3, '0')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The denominator of rates: 6.25 % is 62,500 parts of one million. */
export const MILLION = 1_000_000

/**
 * The share `numerator / denominator` of an amount, rounded half up (half away from zero for a
 * negative amount). Computed in whole numbers, so that nothing is lost.
 */
export function share(amount: Cents, numerator: number, denominator: number): Cents {
  const sign = amount < 0 ? -1n : 1n
  const product = BigInt(Math.abs(amount)) * BigInt(numerator)
  const divisor = BigInt(denominator)
  return cents(Number(sign * ((2n * product + divisor) / (2n * divisor))))
}

/** The share `numerator / denominator` of an amount that is not negative, rounded down. */
export function shareDown(amount: Cents, numerator: number, denominator: number): Cents {
  if (amount < 0) throw new RangeError('shareDown: the amount must not be negative')
  return cents(Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator)))
}

/** The sum of amounts. */
export function sum(...amounts: Cents[]): Cents {
  return cents(amounts.reduce((total, amount) => total + amount, 0))
}
