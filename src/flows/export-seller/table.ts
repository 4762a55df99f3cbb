import type { CsvColumn } from '#platform/csv'
import type { Db } from '#platform/db'
import type { SellerId } from '#platform/ids'
import { cents } from '#platform/money'

/** A row of an export, and its cursor in the order of its table. */
export interface ExportedRow {
  cursor: string
  row: Record<string, unknown>
}

/** A column: what it means, and whether it is an amount in cents. */
export type ExportColumn = string | { cents: string }

/** One page of a table: the rows after a cursor, in its order. */
export interface ExportPage {
  seller_id: SellerId
  after: string
  limit: number
}

/** A table of the archive. */
export interface ExportTable {
  /** The name of its file, without `.csv`. */
  name: string
  about: string
  columns: Record<string, ExportColumn>
  page(db: Db, of: ExportPage): Promise<ExportedRow[]>
}

/** What a column means. */
export function meaningOf(column: ExportColumn): string {
  return typeof column === 'string' ? column : `${column.cents} In US dollars.`
}

/** The columns of a table as CSV; amounts have two decimals. */
export function csvColumnsOf({ columns }: ExportTable): CsvColumn<ExportedRow['row']>[] {
  return Object.entries(columns).map(([name, column]) => ({
    name,
    of(row) {
      const value = row[name] ?? null
      if (value === null) return null
      if (typeof value === 'object') return JSON.stringify(value)
      return typeof column === 'object' && typeof value === 'number' ? cents(value) : String(value)
    },
  }))
}
