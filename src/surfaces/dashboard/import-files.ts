import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import * as imports from '#domain/imports'
import type { World } from '#flows/world'
import { sendFile } from '#http/pages'
import { isoDate } from '#platform/calendar'
import { CSV, type CsvColumn, csvOf } from '#platform/csv'
import { readInPages } from '#platform/read-in-pages'
import type { ImportContext } from './import-context.ts'
import { OUTCOME_LABELS } from './import-labels.ts'

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
export function sendFaults({ db }: World, { reply, read }: ImportContext): FastifyReply {
  const pages = readInPages<imports.ImportFault, number>(
    (page) => imports.faultsOf(db, { import_id: read.id, ...page }),
    ({ place }) => place,
  )
  return sendCsv(reply, `${read.id}-faults.csv`, tableOf(FAULTS, pages))
}

/** Sends what is done with each row as CSV. */
export function sendReport({ db }: World, { reply, read }: ImportContext): FastifyReply {
  const pages = readInPages<imports.ReportedRow, number>(
    ({ after = 0, limit }) => imports.reportedRows(db, { import_id: read.id, after, limit }),
    ({ line }) => line,
  )
  return sendCsv(reply, `${read.id}-report.csv`, tableOf(ROWS, pages))
}

/** A table as CSV, page by page. */
async function* tableOf<Row>(
  columns: CsvColumn<Row>[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<string> {
  yield csvOf(columns, [])
  for await (const rows of pages) yield csvOf(columns, rows, { header: false })
}

function sendCsv(reply: FastifyReply, name: string, content: AsyncIterable<string>): FastifyReply {
  return sendFile(reply, { name, type: CSV }, Readable.from(content, { objectMode: false }))
}
