import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import * as imports from '#domain/imports'
import type { World } from '#flows/world'
import { sendFile } from '#http/pages'
import { isoDate } from '#platform/calendar'
import { CSV, type CsvColumn, csvOf } from '#platform/csv'
import type { ImportContext } from './import-context.ts'
import { OUTCOME_LABELS } from './import-labels.ts'

const ROWS_AT_ONCE = 1_000

const FAULTS: CsvColumn<imports.ImportFault>[] = [
  { name: 'line', of: ({ line }) => String(line) },
  { name: 'column', of: ({ column_name }) => column_name },
  { name: 'value', of: ({ value }) => value },
  { name: 'what_to_do', of: ({ message }) => message },
]

const ROWS: CsvColumn<imports.ReportedRow>[] = [
  { name: 'line', of: ({ line }) => String(line) },
  { name: 'email', of: ({ email }) => email },
  { name: 'product', of: ({ plan }) => plan },
  { name: 'ends', of: ({ ends_at }) => ends_at && isoDate(ends_at) },
  { name: 'outcome', of: ({ outcome }) => outcome },
  { name: 'meaning', of: ({ outcome }) => OUTCOME_LABELS[outcome] },
]

/** Sends the faults of a file as CSV. */
export function sendFaults(world: World, { reply, read }: ImportContext): FastifyReply {
  const page = (after?: number) =>
    imports.faultsOf(world.db, { import_id: read.id, after, limit: ROWS_AT_ONCE })
  return sendCsv(
    reply,
    `${read.id}-faults.csv`,
    tableOf(FAULTS, page, ({ place }) => place),
  )
}

/** Sends what is done with each row as CSV. */
export function sendReport(world: World, { reply, read }: ImportContext): FastifyReply {
  const page = (after = 0) =>
    imports.reportedRows(world.db, { import_id: read.id, after, limit: ROWS_AT_ONCE })
  return sendCsv(
    reply,
    `${read.id}-report.csv`,
    tableOf(ROWS, page, ({ line }) => line),
  )
}

/** A table as CSV, read page by page. */
async function* tableOf<Row>(
  columns: CsvColumn<Row>[],
  page: (after?: number) => Promise<Row[]>,
  cursorOf: (row: Row) => number,
): AsyncGenerator<string> {
  yield csvOf(columns, [])
  for (let after: number | undefined; ; ) {
    const rows = await page(after)
    if (rows.length > 0) yield csvOf(columns, rows, { header: false })
    if (rows.length < ROWS_AT_ONCE) return
    after = cursorOf(rows.at(-1)!)
  }
}

function sendCsv(reply: FastifyReply, name: string, content: AsyncIterable<string>): FastifyReply {
  return sendFile(reply, { name, type: CSV }, Readable.from(content, { objectMode: false }))
}
