import { stringify } from 'csv-stringify/sync'
import { type Cents, cents, formatAmount } from '#platform/money'

/** The media type of a table. */
export const CSV = 'text/csv; charset=utf-8'

/** A column of a table for other programs: its name, and the value of a row. */
export interface CsvColumn<Row> {
  name: string
  /** A number is an amount in cents and is written with two decimals. */
  of(row: Row): string | Cents | null
}

/** The heading of a table as CSV (RFC 4180). */
export function csvHeading<Row>(columns: CsvColumn<Row>[]): string {
  return written([columns.map(({ name }) => name)])
}

/**
 * Rows of a table as CSV (RFC 4180). A text that a spreadsheet would read as a formula is escaped;
 * amounts stay numbers.
 */
export function csvRows<Row>(columns: CsvColumn<Row>[], rows: Row[]): string {
  return written(rows.map((row) => columns.map((column) => column.of(row))))
}

function written(lines: (string | Cents | null)[][]): string {
  return stringify(lines, {
    record_delimiter: 'windows',
    // The library quotes only a text with both characters; other programs end a row at either.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
    cast: { number: (amount: number) => formatAmount(cents(amount)) },
  })
}

/** A long table as CSV: its heading, then each page of its rows. */
export async function* csvPages<Row>(
  columns: CsvColumn<Row>[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<string> {
  yield csvHeading(columns)
  for await (const rows of pages) yield csvRows(columns, rows)
}
