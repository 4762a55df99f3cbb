import { addSeconds, type Frequency, periodEnd, readDay } from '#platform/calendar'
import { type Cents, readAmount } from '#platform/money'
import { plainLine } from '#platform/text'
import type {
  Cells,
  ImportField,
  ImportRecord,
  OverReason,
  RowFault,
  RowReading,
} from './record.ts'

const MAX_ID_LENGTH = 200
const DAY_SECONDS = 24 * 3600
const MAX_PLAN_LENGTH = 200
const SHOWN = 80
/** What a database stores, and a page shows, in four digits. */
const LAST_YEAR = 9999
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)? ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/

/**
 * A cell without control characters, without spaces around it, and without the apostrophe that
 * exports put before a text that a spreadsheet would read as a formula.
 */
export function cleanCell(text: string): string {
  return plainLine(text).replace(/^'(?=[=+\-@])/, '')
}

/** The beginning of a value, for a report. */
export function shortened(value: string): string {
  return value.length > SHOWN ? `${value.slice(0, SHOWN).toWellFormed()}…` : value
}

/** Thrown by the readers of cells, and returned as the fault of the row. */
class CellFault extends Error {
  readonly fault: RowFault
  constructor(fault: RowFault) {
    super(fault.message)
    this.fault = fault
  }
}

function fail(column: ImportField, value: string, message: string): never {
  throw new CellFault({ column, value: shortened(value), message })
}

/** Reads a row; a cell that cannot be read is the row's fault. */
export function readRow(read: () => ImportRecord | 'ignored'): RowReading {
  try {
    const record = read()
    return record === 'ignored' ? record : { record }
  } catch (error) {
    if (error instanceof CellFault) return { fault: error.fault }
    throw error
  }
}

/**
 * An instant, in UTC where the text names no offset. A day alone is its last second for `isEnd`, so
 * that every page shows the day of the file.
 */
export function momentIn(cells: Cells, field: ImportField, isEnd = false): Date | null {
  const text = cells(field)
  if (text === '') return null
  const [, day, time, offset = 'Z'] = MOMENT.exec(text) ?? []
  const start = readDay(day)
  if (start && !time) return isEnd ? addSeconds(start, DAY_SECONDS - 1) : start
  const zone = offset === 'UTC' ? 'Z' : offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const at = start && new Date(`${day}T${time}${zone}`)
  if (!at || Number.isNaN(at.getTime())) {
    return fail(
      field,
      text,
      'Write the date as 2026-11-23, or with a time as 2026-11-23T10:00:00Z.',
    )
  }
  return at
}

/** A flag: 1, true, yes, or their opposites. An empty cell is false. */
export function flagIn(cells: Cells, field: ImportField): boolean {
  const text = cells(field).toLowerCase()
  if (['', '0', 'false', 'no', 'n', 'f'].includes(text)) return false
  if (['1', 'true', 'yes', 'y', 't'].includes(text)) return true
  return fail(field, text, 'Write 1 or 0, or true or false.')
}

const DECIMAL_COMMA = /^(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}$/

/**
 * The price in cents, only where the file says that it is in US dollars, or names no currency. A
 * whole number is dollars only `in_dollars` or after a dollar sign: the APIs of most services count
 * cents.
 */
function amountIn(cells: Cells, { in_dollars = false }: { in_dollars?: boolean }): Cents | null {
  const currency = cells('currency').toLowerCase()
  if (currency !== '' && currency !== 'usd' && currency !== '$') return null
  const text = cells('amount').replace(/\s/g, '')
  const bare = text.replace(/^(?:USD|US\$|\$)|USD$/gi, '')
  const number = DECIMAL_COMMA.test(bare) ? bare.replaceAll('.', '').replace(',', '.') : bare
  if (!number.includes('.') && !in_dollars && !text.includes('$')) return null
  return readAmount(number) ?? null
}

/** A period of a price, with its length; frequency null if this service has none like it. */
export interface BillingPeriod {
  frequency: Frequency | null
  unit: Frequency
  count: number
}

const WORDS = new Map<string, readonly [count: number, unit: Frequency]>([
  ['daily', [1, 'day']],
  ['weekly', [1, 'week']],
  ['monthly', [1, 'month']],
  ['quarterly', [3, 'month']],
  ['biannually', [6, 'month']],
  ['yearly', [1, 'year']],
  ['annually', [1, 'year']],
  ['annual', [1, 'year']],
  ['every_two_years', [2, 'year']],
])

/** How often a price is paid; null for one that is paid once. */
export function periodIn(cells: Cells): BillingPeriod | null {
  const text = cells('interval').toLowerCase().replaceAll(' ', '_')
  if (['', 'once', 'one_time', 'one-time', 'lifetime', 'never', 'none'].includes(text)) return null
  const counted = /^(\d{1,2})?_?(day|week|month|year)s?$/.exec(text)
  const [named, unit] = WORDS.get(text) ?? [Number(counted?.[1] ?? 1), counted?.[2] as Frequency]
  if (!unit || named < 1) {
    return fail('interval', text, 'Write how often it is paid: day, week, month or year.')
  }
  // A file with a column for the number of intervals names one interval.
  const count = named === 1 ? countIn(cells) : named
  return { frequency: count === 1 ? unit : null, unit, count }
}

/** How many intervals a period has. */
function countIn(cells: Cells): number {
  const text = cells('interval_count')
  if (text === '') return 1
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text)
  return fail('interval_count', text, 'Write how many intervals a period has, from 1 to 999.')
}

/** The end of the period that began at an instant. */
export function endOfPeriod(from: Date, { unit, count }: BillingPeriod): Date {
  return periodEnd(from, unit, count)
}

/** The end of the period that a payment was for; null for what is paid once. */
export function paidUntil(cells: Cells, period: BillingPeriod | null): Date | null {
  const bought_at = momentIn(cells, 'bought_at')
  return period && bought_at ? endOfPeriod(bought_at, period) : null
}

/** The status in the spelling of the APIs: the dashboards of most services write it in words. */
export function statusIn(cells: Cells): string {
  return cells('status').toLowerCase().replaceAll(' ', '_')
}

/** What is common to the rows of all services. */
export function recordOf(
  cells: Cells,
  now: Date,
  facts: {
    /** Which file of the service the row is from: IDs of different files may be equal. */
    kind: string
    /** The ID, where the file has no column for it. */
    id?: string
    ends_at: Date | null
    over: OverReason | null
    period?: BillingPeriod | null
    /** Whether the service exports prices in dollars, never in cents. */
    in_dollars?: boolean
  },
): ImportRecord {
  const id = facts.id ?? cells('id')
  if (id === '') return fail('id', id, 'The row has no ID. Export the file again with its IDs.')
  if (id.length > MAX_ID_LENGTH)
    return fail('id', id, `Use an ID of at most ${MAX_ID_LENGTH} characters.`)
  const email = cells('email')
  if (email === '') return fail('email', email, 'The row has no email address. Add it.')
  const parts = [cells('product'), cells('variant')].filter((part) => part !== '')
  const plan = [...new Set(parts)].join(' – ')
  if (plan.length > MAX_PLAN_LENGTH) {
    return fail('product', plan, `Use a name of at most ${MAX_PLAN_LENGTH} characters.`)
  }
  const { ends_at } = facts
  const year = ends_at?.getUTCFullYear() ?? 1
  if (year < 1 || year > LAST_YEAR) {
    const message = `Write an end before the year ${LAST_YEAR + 1}, or none for a license for good.`
    throw new CellFault({ column: null, value: '', message })
  }
  const hasEnded = ends_at !== null && ends_at <= now
  const frequency = facts.period?.frequency ?? null
  // The amount of one period is not the price of a license for good.
  const recurs = facts.kind === 'subscription' || Boolean(facts.period)
  const hasPrice = frequency !== null || !recurs
  return {
    external_id: `${facts.kind}:${id}`,
    email,
    plan,
    former_key: cells('key') || null,
    ends_at,
    over: facts.over ?? (hasEnded ? 'ended' : null),
    amount: hasPrice ? amountIn(cells, facts) : null,
    frequency,
  }
}

/** A subscription runs and has no end: as ended, it would end the license that it became. */
export function missingEnd(): never {
  const message =
    'The row has no end of the period, and the subscription runs. Export the file with its ends.'
  return fail('renews_at', '', message)
}

/** A status that the source does not document. */
export function unknownStatus(status: string, known: readonly string[]): never {
  return fail('status', status, `The status is not one of ${known.join(', ')}. Correct it.`)
}
