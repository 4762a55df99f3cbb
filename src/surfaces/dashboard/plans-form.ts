import * as catalog from '#domain/catalog'
import type { ListedVersion } from '#flows/listing'
import { FREQUENCIES, type Frequency } from '#platform/calendar'
import { formatAmount, readAmount } from '#platform/money'
import { activePlans } from './plans-review.ts'
import { applyRowAction, type Fields, readRowAction, rowInFocus, rowsOf } from './rows.ts'

/** A price in the form; the frequency `once` is a one-time price. */
export interface PriceRow {
  amount: string
  frequency: string
}

/** A plan in the form; a new plan has no product ID. */
export interface PlanRow {
  product_id: string
  name: string
  description: string
  is_free: boolean
  /** Days before the first charge, as entered; empty means none. */
  trial_days: string
  prices: PriceRow[]
}

const BLANK_PRICE: PriceRow = { amount: '', frequency: 'month' }
/** A new plan. */
export const BLANK_PLAN: PlanRow = {
  product_id: '',
  name: '',
  description: '',
  is_free: false,
  trial_days: '',
  prices: [BLANK_PRICE],
}

/** The form for the current plans. */
export function formOfVersions(versions: ListedVersion[]): PlanRow[] {
  return activePlans(versions).map(
    ({ product_public_id, name, description, is_free, trial_days, prices }) => ({
      product_id: product_public_id,
      name,
      description,
      is_free,
      trial_days: trial_days === 0 ? '' : String(trial_days),
      prices: prices.map(({ amount, frequency }) => ({ amount, frequency: frequency ?? 'once' })),
    }),
  )
}

/** Reads the posted plans. */
export function readPlans(form: Fields): PlanRow[] {
  return rowsOf(form, 'versions').map((row) => ({
    product_id: row.product_id ?? '',
    name: row.name ?? '',
    description: row.description ?? '',
    is_free: row.is_free !== undefined,
    trial_days: row.trial_days ?? '',
    prices: rowsOf(row, 'prices').map(({ amount = '', frequency = '' }) => ({ amount, frequency })),
  }))
}

/** The plans as hidden fields of a form. */
export function fieldsOfPlans(rows: PlanRow[]): [name: string, value: string][] {
  return rows.flatMap((row, index): [string, string][] => {
    const path = `versions.${index}`
    return [
      [`${path}.product_id`, row.product_id],
      [`${path}.name`, row.name],
      [`${path}.description`, row.description],
      ...(row.is_free ? [[`${path}.is_free`, 'yes'] as [string, string]] : []),
      [`${path}.trial_days`, row.trial_days],
      ...row.prices.flatMap((price, at): [string, string][] => [
        [`${path}.prices.${at}.amount`, price.amount],
        [`${path}.prices.${at}.frequency`, price.frequency],
      ]),
    ]
  })
}

/**
 * The versions in a form, without their descriptions; a free plan has no prices, whatever their
 * fields contain.
 */
export function versionsOf(rows: PlanRow[]) {
  return rows.map(({ product_id, name, is_free, trial_days, prices }) => ({
    ...(product_id === '' ? {} : { product_id }),
    name: name.trim(),
    is_free,
    trial_days: is_free ? 0 : daysOf(trial_days),
    prices: is_free ? [] : prices.map(priceOf),
  }))
}

function priceOf({ amount, frequency }: PriceRow) {
  return { amount: amountOf(amount), frequency: frequencyOf(frequency) }
}

/** A whole number of days; 0 if empty, NaN if invalid. */
function daysOf(text: string): number {
  const days = text.trim()
  return days === '' ? 0 : /^\d{1,4}$/.test(days) ? Number(days) : Number.NaN
}

function frequencyOf(text: string): Frequency | null {
  return FREQUENCIES.find((each) => each === text) ?? null
}

/** An amount as the API writes it; unchanged if it is not an amount. */
export function amountOf(text: string): string {
  const amount = readAmount(text)
  return amount === undefined ? text.trim() : formatAmount(amount)
}

/**
 * The plans after the pressed row action, and the row to focus; undefined if another button, such
 * as Save, was pressed.
 */
export function plansAfterAction(rows: PlanRow[], form: Fields) {
  const action = readRowAction(form.do)
  if (action === undefined) return undefined
  const isFull = (list: unknown[], most: number) => action.act === 'add' && list.length >= most
  if (action.list === 'versions') {
    if (isFull(rows, catalog.MAX_VERSIONS)) return { rows, focus: undefined }
    const next = applyRowAction(rows, action, BLANK_PLAN)
    return { rows: next, focus: rowInFocus(action, next) }
  }
  const [, index] = /^versions\.(\d{1,2})\.prices$/.exec(action.list) ?? []
  const plan = rows[Number(index)]
  if (plan === undefined) return undefined
  if (isFull(plan.prices, catalog.MAX_PRICES)) return { rows, focus: undefined }
  const prices = applyRowAction(plan.prices, action, blankPrice(plan.prices))
  return {
    rows: rows.map((row) => (row === plan ? { ...plan, prices } : row)),
    focus: rowInFocus(action, prices),
  }
}

/** A new price with the first frequency that the plan lacks. */
function blankPrice(prices: PriceRow[]): PriceRow {
  const used = prices.map(({ frequency }) => frequency)
  const frequency = ['month', 'year', 'once', 'week', 'day'].find((each) => !used.includes(each))
  return { ...BLANK_PRICE, frequency: frequency ?? BLANK_PRICE.frequency }
}
