import type { Locale } from '#platform/language/locale'
import { shortZip } from '#platform/text'
import { findTestCard, type TestCard } from './cards.ts'

/** The values that the page may show again; never the number or CVC. */
export interface RefilledValues {
  expiry: string
  zip: string
}

export type CardFaults = Partial<Record<'number' | 'expiry' | 'cvc' | 'zip', string>>

export interface EnteredCard {
  card: TestCard
  exp_month: number
  exp_year: number
  zip: string
}

export type CardForm = { read: EnteredCard } | { faults: CardFaults; values: RefilledValues }

export const EXAMPLE_NUMBER = '4242 4242 4242 4242'

/** Longer than any expiry or ZIP code. A card number in the wrong field must not be shown again. */
const MAX_REFILLED_LENGTH = 10

/** Reads a posted card form, with every error at once, by field. */
export function readCardForm(body: unknown, now: Date, locale: Locale): CardForm {
  const { t } = locale
  const number = textOf(body, 'number')
  const expiry = textOf(body, 'expiry')
  const zip = shortZip(textOf(body, 'zip'))
  const card = findTestCard(number)
  const expires = readExpiry(expiry)
  const faults: CardFaults = {}
  if (!card) faults.number = numberFault(number, locale)
  if (!expires) faults.expiry = t('sandbox.fault_expiry')
  else if (isExpired(expires, now)) faults.expiry = t('sandbox.fault_expired')
  if (!cvcShape(card).test(textOf(body, 'cvc'))) faults.cvc = cvcFault(card, locale)
  if (!/^\d{5}$/.test(zip)) faults.zip = t('sandbox.fault_zip')
  const good = card && expires && Object.keys(faults).length === 0
  if (good) return { read: { card, ...expires, zip } }
  return { faults, values: { expiry: refill(expiry), zip: refill(zip) } }
}

function textOf(body: unknown, field: string): string {
  const value = Object(body)[field]
  return typeof value === 'string' ? value.trim() : ''
}

function refill(text: string): string {
  return text.length > MAX_REFILLED_LENGTH ? '' : text
}

function numberFault(number: string, { t }: Locale): string {
  if (number === '') return t('sandbox.fault_number')
  return t('sandbox.fault_test_card', { number: EXAMPLE_NUMBER })
}

function cvcShape(card: TestCard | undefined): RegExp {
  if (!card) return /^\d{3,4}$/
  return card.brand === 'amex' ? /^\d{4}$/ : /^\d{3}$/
}

function cvcFault(card: TestCard | undefined, { t }: Locale): string {
  if (card?.brand === 'amex') return t('sandbox.fault_cvc_4')
  return t('sandbox.fault_cvc_3')
}

/** Reads month and year from `04 / 30`, `4/30`, `0430`, `04/2030` or `042030`. */
function readExpiry(text: string): { exp_month: number; exp_year: number } | undefined {
  const written = /^(?:(\d{1,2})[/.-]|(\d{2}))(\d{4}|\d{2})$/.exec(text.replaceAll(/\s/g, ''))
  if (!written) return undefined
  const exp_month = Number(written[1] ?? written[2])
  const year = Number(written[3])
  if (exp_month < 1 || exp_month > 12) return undefined
  return { exp_month, exp_year: year < 100 ? 2000 + year : year }
}

/** A card expires at the end of its month. */
function isExpired(card: { exp_month: number; exp_year: number }, now: Date): boolean {
  return now >= new Date(Date.UTC(card.exp_year, card.exp_month))
}
