import type { Frequency } from '#platform/calendar'
import type { Cents } from '#platform/money'

/** The services whose files can be imported; `purser` is an export of this service. */
export const IMPORT_SOURCES = [
  'lemon_squeezy',
  'gumroad',
  'paddle',
  'polar',
  'stripe',
  'keygen',
  'purser',
] as const
export type ImportSource = (typeof IMPORT_SOURCES)[number]

/** A text from outside as a source; undefined if it is none. */
export function readSource(text: string | undefined): ImportSource | undefined {
  return IMPORT_SOURCES.find((source) => source === text)
}

/** What a column of a file can be. */
export type ImportField =
  | 'id'
  | 'email'
  | 'product'
  | 'variant'
  | 'status'
  | 'key'
  | 'ends_at'
  | 'renews_at'
  | 'bought_at'
  | 'interval'
  | 'interval_count'
  | 'amount'
  | 'currency'
  | 'refunded'
  | 'revoked'
  | 'disputed'
  | 'dispute_won'
  | 'enabled'
  | 'reason'

/** Why a row grants no entitlement: the paid time has ended, or it was refunded or revoked. */
export type OverReason = 'ended' | 'refunded' | 'revoked'

/** The common record that rows of every source are read into. */
export interface ImportRecord {
  /** The row's ID at its source. Importing the same file again yields the same ID. */
  external_id: string
  email: string
  /** The product at the source, with its variant. */
  plan: string
  former_key: string | null
  /** The end of the paid time; null for a lifetime license. */
  ends_at: Date | null
  over: OverReason | null
  /** The price at the source, if it is in US dollars and a price here can recur as it does. */
  amount: Cents | null
  /** How often it is paid; null for once. */
  frequency: Frequency | null
}

/** What is wrong with a row. */
export interface RowFault {
  /** The column; null for the row as a whole. */
  column: ImportField | null
  value: string
  message: string
}

/** What a row was read into; `ignored` is a row that describes no customer, such as a sum. */
export type RowReading = { record: ImportRecord } | { fault: RowFault } | 'ignored'

/** The trimmed cell of a field; empty if the file has no such column. */
export type Cells = (field: ImportField) => string

/** How the files of a service are read. */
export interface SourceReader {
  label: string
  /** Which file of the service this reads, for the page. */
  file: string
  /** What to know about rows that would be lifetime licenses, in a file without keys. */
  keyless_note?: string
  /** The names under which each field is found, the usual one first. */
  columns: Partial<Record<ImportField, readonly string[]>>
  required: readonly ImportField[]
  /** Reads a row at an instant: what has ended by then is over. */
  read(cells: Cells, now: Date): RowReading
}
