import * as imports from '#domain/imports'
import { lockOwnListing } from '#flows/app-access'
import type { World } from '#flows/world'
import { isReadableCsv, readCsv } from '#platform/csv-read'
import type { Database } from '#platform/db'
import {
  type AppId,
  type ImportId,
  mintId,
  type ProductId,
  type SellerId,
  type UserId,
} from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/** The largest file: about 200,000 rows. */
export const LARGEST_IMPORT = 50 * 1024 * 1024
/** The most rows of a file. */
export const MAX_ROWS = 200_000
/** The most columns of a file. */
export const MAX_COLUMNS = 300

/** A file that a member uploads. */
export interface UploadedImport {
  app_id: AppId
  /** The app's seller, who uploads it. */
  seller_id: SellerId
  user_id: UserId
  source: imports.ImportSource
  file_name: string
  content: Buffer
}

/**
 * Stores a file, and recognizes its columns by their names. Nothing is imported yet. The files and
 * rows of a seller are limited. Throws `not_found` if the app was transferred in between.
 */
export async function uploadImport(
  { db, clock, random, storage }: World,
  uploaded: UploadedImport,
): Promise<{ id: ImportId } | { faults: FieldFault[] }> {
  const { content } = uploaded
  const columns = await headingOf(content)
  if (typeof columns === 'string') return { faults: [{ path: 'file', message: columns }] }
  const id = mintId(random, 'imp')
  const now = clock.now()
  // The import first: retention finds the parts of an upload that failed by it.
  const fault = await addUpload(db, now, { ...uploaded, id, columns })
  if (fault) return { faults: [{ path: 'file', message: fault }] }
  const upload = { id, file_bytes: content.length }
  try {
    for (const [part, key] of imports.uploadKeys(upload).entries()) {
      const at = part * imports.UPLOAD_PART_BYTES
      const bytes = content.subarray(at, at + imports.UPLOAD_PART_BYTES)
      await storage.put(now, key, { content: bytes, type: 'text/csv' })
    }
  } catch (error) {
    await discard({ db, storage }, upload).catch(() => {})
    throw error
  }
  // It may have been deleted while its parts were stored.
  if (await imports.isDeleted(db, id)) await imports.deleteFile({ db, storage }, upload)
  return { id }
}

/** Adds the import of a file; returns why it has no place beside those of its seller, if so. */
async function addUpload(
  db: Database,
  now: Date,
  added: UploadedImport & { id: ImportId; columns: string[] },
): Promise<string | undefined> {
  const { content, source, seller_id, columns } = added
  const rows = linesOf(content, MAX_ROWS)
  return await db.tx(async (tx) => {
    await lockOwnListing(tx, added, added.app_id)
    const stored = await imports.lockStoredImports(tx, now, seller_id)
    const fault = imports.storedFault(stored, { bytes: content.length, rows })
    if (fault) return fault
    await imports.addImport(tx, now, {
      ...added,
      file_name: imports.shortened(imports.cleanCell(added.file_name)) || 'file.csv',
      file_bytes: content.length,
      matched: imports.matchColumns(source, columns),
      rows,
    })
    return undefined
  })
}

/** How many lines a file has after its heading, at most `most`. */
function linesOf(content: Buffer, most: number): number {
  const end = content.includes('\n') ? '\n' : '\r'
  const whole = content.length - (content.at(-1) === end.charCodeAt(0) ? 1 : 0)
  let lines = 0
  for (let at = content.indexOf(end); at >= 0 && at < whole && lines < most; lines++) {
    at = content.indexOf(end, at + 1)
  }
  return lines
}

/** Deletes an import whose file is not whole, so that it is not offered to be read. */
async function discard(
  parts: Pick<World, 'db' | 'storage'>,
  upload: Pick<imports.Import, 'id' | 'file_bytes'>,
): Promise<void> {
  await imports.deleteFile(parts, upload)
  await imports.dropImport(parts.db, upload.id)
}

/** The columns of a file, or why it is refused. */
async function headingOf(content: Buffer): Promise<string[] | string> {
  if (content.length === 0) return 'Choose a CSV file.'
  if (content.length > LARGEST_IMPORT) return 'The file is larger than 50 MB. Split it.'
  if (!isReadableCsv(content)) {
    return 'The file is not a CSV file in UTF-8. Export it as CSV again.'
  }
  for await (const first of readCsv([content])) {
    if ('fault' in first) break
    const columns = first.cells.map(imports.cleanCell)
    if (columns.length > MAX_COLUMNS) return `The file has more than ${MAX_COLUMNS} columns.`
    return columns.map((name) => name.slice(0, 200).toWellFormed())
  }
  return 'The file has no heading. Its first line must name the columns.'
}

/** Chooses which column each field is; the required fields without one if some are missing. */
export async function matchImport(
  { db }: World,
  { id, source, columns }: imports.Import,
  matched: imports.MatchedColumns,
): Promise<{ missing: imports.ImportField[] }> {
  const isColumn = (index: number) =>
    Number.isInteger(index) && index >= 0 && index < columns.length
  const known = Object.entries(matched).filter(([, index]) => isColumn(index))
  const kept: imports.MatchedColumns = Object.fromEntries(known)
  const missing = imports.missingFields(source, kept)
  if (missing.length === 0) await imports.changeImport(db, id, { matched: kept })
  return { missing }
}

/**
 * Chooses the plan for each product of the file, and whether buyers are notified. False once the
 * import was started.
 */
export async function choosePlans(
  { db }: World,
  id: ImportId,
  chosen: { plans: Record<string, ProductId | null>; notifies: boolean },
): Promise<boolean> {
  return await db.tx(async (tx) => {
    const { status } = await imports.lockImport(tx, id)
    if (status !== 'read' && status !== 'checked') return false
    await imports.changeImport(tx, id, { ...chosen, status: 'read' })
    return true
  })
}
