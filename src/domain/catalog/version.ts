import { FREQUENCIES, type Frequency } from '#platform/calendar'
import type { PriceId } from '#platform/ids'
import { type Cents, cents, formatAmount, parseAmount } from '#platform/money'
import type { FieldFault } from '#platform/problem'
import { nameKey, textFault, tidyText } from '#platform/text'

/** A product as a seller submits it. */
export interface VersionInput {
  /** A `prod_` id or an older UUID; absent for a new one. */
  product_id?: string | undefined
  name: string
  is_free?: boolean | undefined
  /** Absent: unchanged, and no trial for a new one. */
  trial_days?: number | undefined
  prices: readonly PriceInput[]
}

/** A price as a seller submits it. `frequency` is null for a one-time price. */
export interface PriceInput {
  /** The id of the price to restore. If absent: the live price of its frequency, or a new one. */
  id?: PriceId | undefined
  amount: string
  frequency: string | null
}

export const VERSION_NAME = { least: 1, most: 100 } as const
export const PRODUCT_DESCRIPTION = { most: 1000, lines: true }
/** The longest trial, in days. */
const MAX_TRIAL_DAYS = 90
/** The most products of an app. */
export const MAX_VERSIONS = 20
/** The most prices of a product: one for each frequency, and one paid once. */
export const MAX_PRICES = FREQUENCIES.length + 1

const LEAST = cents(100)
const MOST = cents(9_999_999)

/** Parses an allowed price, 1.00 to 99,999.99; undefined for anything else. */
export function readPrice(amount: string): Cents | undefined {
  const value = parseAmount(amount)
  return value !== undefined && value >= LEAST && value <= MOST ? value : undefined
}

/** Parses a frequency; undefined for an unknown one. */
export function readFrequency(frequency: string | null): Frequency | null | undefined {
  if (frequency === null) return null
  return FREQUENCIES.find((each) => each === frequency)
}

/** Every fault of the submitted products that does not depend on the app's current ones. */
export function versionFaults(versions: readonly VersionInput[]): FieldFault[] {
  // For a list that is far too long, the faults of its first entries are enough.
  const judged = versions.slice(0, 2 * MAX_VERSIONS)
  const keys = judged.map(({ name }) => nameKey(name))
  const faults = judged.flatMap((version, index) => {
    const path = `versions[${index}]`
    const first = keys.indexOf(keys[index]!)
    return [
      ...nameFaults(path, version, first, index),
      ...trialFaults(path, version),
      ...priceFaults(path, version),
    ]
  })
  const free = judged.flatMap(({ is_free }, index) => (is_free ? index : []))
  for (const index of free.slice(1)) {
    const message = `An app has at most one free version; versions[${free[0]}] is already free.`
    faults.push({ path: `versions[${index}].is_free`, message })
  }
  if (versions.length === 0) {
    faults.push({ path: 'versions', message: 'At least one version is required.' })
  }
  if (versions.length > MAX_VERSIONS) {
    const message = `Use at most ${MAX_VERSIONS} versions. This list has ${versions.length}.`
    faults.push({ path: 'versions', message })
  }
  return faults
}

function nameFaults(
  path: string,
  { name }: VersionInput,
  first: number,
  index: number,
): FieldFault[] {
  const at = `${path}.name`
  const message = textFault(tidyText(name), VERSION_NAME)
  if (message !== undefined) return [{ path: at, message }]
  if (first === index) return []
  return [
    {
      path: at,
      message: `versions[${first}] already has this name. Names are not case-sensitive.`,
    },
  ]
}

function priceFaults(path: string, { is_free, prices }: VersionInput): FieldFault[] {
  const at = `${path}.prices`
  if (is_free && prices.length > 0) {
    return [{ path: at, message: 'A free version cannot have prices.' }]
  }
  if (!is_free && prices.length === 0) {
    return [{ path: at, message: 'A paid version requires a price.' }]
  }
  // There are five frequencies, so entries far beyond that are not checked one by one.
  return prices
    .slice(0, 20)
    .flatMap(({ amount, frequency }, index) => [
      ...amountFaults(`${at}[${index}].amount`, amount),
      ...frequencyFaults(`${at}[${index}].frequency`, frequency, prices, index),
    ])
}

function amountFaults(path: string, amount: string): FieldFault[] {
  if (readPrice(amount) !== undefined) return []
  const range = `from ${formatAmount(LEAST)} to ${formatAmount(MOST)}`
  return [{ path, message: `Use US dollars with two decimals, such as "12.00", ${range}.` }]
}

function frequencyFaults(
  path: string,
  frequency: string | null,
  prices: readonly PriceInput[],
  index: number,
): FieldFault[] {
  if (readFrequency(frequency) === undefined) {
    return [{ path, message: `Must be ${FREQUENCIES.join(', ')}, or null for a one-time price.` }]
  }
  const first = prices.findIndex((each) => each.frequency === frequency)
  if (first === index) return []
  return [{ path, message: 'A version can have only one price per frequency.' }]
}

function trialFaults(path: string, { trial_days = 0 }: VersionInput): FieldFault[] {
  const isGood = Number.isInteger(trial_days) && trial_days >= 0 && trial_days <= MAX_TRIAL_DAYS
  if (isGood) return []
  const message = `Use 0 to ${MAX_TRIAL_DAYS} whole days. 0 means no trial.`
  return [{ path: `${path}.trial_days`, message }]
}
