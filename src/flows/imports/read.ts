import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import { appTime, type World } from '#flows/world'
import { type CsvFault, type CsvRow, readCsv } from '#platform/csv-read'
import type { ImportId } from '#platform/ids'
import type { FileStorage } from '#platform/storage'
import { rowsAtOnce } from './batch.ts'
import { MAX_COLUMNS, MAX_ROWS } from './upload.ts'

const READ_AT_ONCE = 1_000
const LINES_A_REPORT = 1_000

/** Reports how many bytes of a file, or rows, are done; throws if the work should stop. */
export type ReportImport = (progress: {
  done: number
  total: number
  note: string
}) => Promise<void>

/**
 * Reads the rows of an uploaded file into the database, a thousand at a time, and deletes the file.
 * Read again after a crash, it starts from the beginning; once read, it is left as it is. A row
 * that cannot be read is a fault.
 */
export async function readImport(
  world: World,
  id: ImportId,
  report: ReportImport,
): Promise<{ rows: number; faults: number }> {
  const { db, storage } = world
  const read = await imports.getImport(db, id)
  if (read.status !== 'uploaded') return read
  await imports.deleteRows(db, id)
  await imports.deleteFaults(db, id)
  const app = await apps.get(db, read.app_id)
  const reader = rowReader(world, read, appTime(world, app))
  const kept = keeper(world, id)
  const total = Math.max(1, Math.round(read.file_bytes / 1024))
  let size = 0
  // The heading is line 0 of what is counted.
  let lines = -1
  for await (const row of readCsv(partsOf(storage, read))) {
    lines++
    const end = endOfReading(row, lines)
    if (end !== undefined) {
      const fault = { line: row.line, column_name: null, value: '', message: end }
      await kept.fault(fault, imports.FILE_PLACE)
      break
    }
    if ('fault' in row) {
      await kept.fault({ line: row.line, column_name: null, value: '', message: row.fault })
      continue
    }
    if (lines === 0) continue
    const result = reader(row)
    if (result !== 'ignored') {
      if ('message' in result) await kept.fault({ line: row.line, ...result })
      else await kept.row(result)
    }
    size += row.cells.reduce((sum, cell) => sum + cell.length + 1, 0)
    const done = Math.min(total, Math.round(size / 1024))
    if (lines % LINES_A_REPORT === 0) await report({ done, total, note: `${kept.rows} rows` })
  }
  await kept.flush()
  const { rows, faults } = kept
  await imports.changeImport(db, id, { status: 'read', rows, faults, columns: [] })
  await imports.deleteFile(world, read)
  return { rows, faults }
}

/** Why the rows from this one on are not read, if so: they would take too long. */
function endOfReading(row: CsvRow | CsvFault, lines: number): string | undefined {
  if (lines > MAX_ROWS) {
    return 'The file has more than 200,000 rows. Split it, and import the parts one at a time.'
  }
  if ('fault' in row || row.cells.length <= MAX_COLUMNS) return undefined
  return `This row has ${row.cells.length} values; use at most ${MAX_COLUMNS}. The rows after it were not read.`
}

/** The uploaded file, a part at a time. */
async function* partsOf(storage: FileStorage, read: imports.Import): AsyncGenerator<Buffer> {
  for (const key of imports.uploadKeys(read)) {
    const part = await storage.get(key)
    if (!part) throw new Error(`the file of import ${read.id} is gone`)
    yield part
  }
}

type KeptFault = Omit<imports.ImportFault, 'place' | 'line'>

/** Reads one row: the common record with the email and the key as they are stored, or its fault. */
function rowReader({ keys }: World, read: imports.Import, now: Date) {
  const { read: readSourceRow } = imports.SOURCE_READERS[read.source]
  const { matched, columns } = read
  return ({ line, cells }: { line: number; cells: string[] }) => {
    const fault = (
      column: imports.ImportField | null,
      value: string,
      message: string,
    ): KeptFault => {
      const at = column === null ? undefined : matched[column]
      const column_name = at === undefined ? column : (columns[at] ?? null)
      return { column_name, value: imports.shortened(value), message }
    }
    if (cells.slice(columns.length).some((text) => imports.cleanCell(text) !== '')) {
      const message = `The row has ${cells.length} values, but the heading has ${columns.length}. Quote values that contain the separator.`
      return fault(null, '', message)
    }
    const cell: imports.Cells = (field) => imports.cleanCell(cells[matched[field] ?? -1] ?? '')
    const reading = readSourceRow(cell, now)
    if (reading === 'ignored') return reading
    if ('fault' in reading) {
      const { column, value, message } = reading.fault
      return fault(column, value, message)
    }
    const { record } = reading
    const email = identity.readEmail(record.email)
    if (!email) return fault('email', record.email, 'This is not an email address. Correct it.')
    const alias = record.former_key === null ? null : licensing.readAlias(record.former_key)
    if (alias === undefined) {
      return fault('key', record.former_key ?? '', 'A key has at most 512 characters. Shorten it.')
    }
    const { former_key: _, ...rest } = record
    const key_hash = alias === null ? null : licensing.keyHash(keys, alias)
    return { ...rest, ...email, line, key_hash }
  }
}

/** Stores rows and faults in batches. */
function keeper({ db }: World, id: ImportId) {
  const rows: imports.ImportRow[] = []
  const faults: imports.ImportFault[] = []
  const limit = rowsAtOnce(db, READ_AT_ONCE)
  const kept = {
    rows: 0,
    faults: 0,
    async row(row: imports.ImportRow) {
      rows.push(row)
      kept.rows++
      if (rows.length >= limit) await imports.addRows(db, id, rows.splice(0))
    },
    async fault(fault: Omit<imports.ImportFault, 'place'>, at?: number) {
      kept.faults++
      const place = at ?? kept.faults
      if (place > imports.MAX_FAULTS) return
      faults.push({ ...fault, place })
      if (faults.length >= limit) await imports.addFaults(db, id, faults.splice(0))
    },
    async flush() {
      await imports.addRows(db, id, rows.splice(0))
      await imports.addFaults(db, id, faults.splice(0))
    },
  }
  return kept
}
