import type { FastifyReply } from 'fastify'
import * as imports from '#domain/imports'
import type { World } from '#flows/world'
import { sendCsv } from '#http/pages'
import { isoDate } from '#platform/calendar'
import { type CsvColumn, csvPages } from '#platform/csv'
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
  return sendCsv(reply, `${read.id}-faults.csv`, csvPages(FAULTS, pages))
}

/** Sends what is done with each row as CSV. */
export function sendReport({ db }: World, { reply, read }: ImportContext): FastifyReply {
  const pages = readInPages<imports.ReportedRow, number>(
    ({ after = 0, limit }) => imports.reportedRows(db, { import_id: read.id, after, limit }),
    ({ line }) => line,
  )
  return sendCsv(reply, `${read.id}-report.csv`, csvPages(ROWS, pages))
}
