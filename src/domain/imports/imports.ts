import type { Db } from '#platform/db'
import type { AppId, ImportId, ProductId, SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { FileStorage } from '#platform/storage'
import type { RowOutcome } from './decide.ts'
import type { ImportSource } from './record.ts'
import type { MatchedColumns } from './source.ts'

export type ImportStatus = 'uploaded' | 'read' | 'checked' | 'importing' | 'done'

/** A file that a seller imports. */
export interface Import {
  id: ImportId
  app_id: AppId
  /** The app's seller when the file was uploaded. */
  seller_id: SellerId
  user_id: UserId
  source: ImportSource
  file_name: string
  file_bytes: number
  status: ImportStatus
  /** The names of the file's columns; empty once it is read. */
  columns: string[]
  matched: MatchedColumns
  /** The plan for each product of the file, as long as its rows; null: it is not imported. */
  plans: Record<string, ProductId | null>
  notifies: boolean
  /** Until the file is read, the number of its lines. */
  rows: number
  faults: number
  counts: Partial<Record<RowOutcome, number>>
  done_place: number
  created_at: Date
  finished_at: Date | null
}

const COLUMNS = sql`id, app_id, seller_id, user_id, source, file_name, file_bytes, status, columns,
  matched, plans, notifies, rows, faults, counts, done_place, created_at, finished_at`

/** Adds an uploaded file. */
export async function addImport(
  db: Db,
  now: Date,
  added: Pick<
    Import,
    | 'id'
    | 'app_id'
    | 'seller_id'
    | 'user_id'
    | 'source'
    | 'file_name'
    | 'file_bytes'
    | 'columns'
    | 'matched'
    | 'rows'
  >,
): Promise<void> {
  await db.run(sql`insert into imports
    (id, app_id, seller_id, user_id, source, file_name, file_bytes, status, columns, matched, rows,
      created_at)
    values (${added.id}, ${added.app_id}, ${added.seller_id}, ${added.user_id}, ${added.source},
      ${added.file_name}, ${added.file_bytes}, 'uploaded', ${JSON.stringify(added.columns)},
      ${JSON.stringify(added.matched)}, ${added.rows}, ${now})`)
}

// A former seller's file may contain people who never used the app.
const SHOWN = sql`deleted_at is null and seller_id = (select a.seller_id from apps a
  where a.id = imports.app_id)`

/** An import for an app by its current seller; undefined if it was deleted. */
export async function findImport(
  db: Db,
  of: { id: ImportId; app_id: AppId },
): Promise<Import | undefined> {
  return await db.maybe<Import>(sql`select ${COLUMNS} from imports
    where id = ${of.id} and app_id = ${of.app_id} and ${SHOWN}`)
}

/** An import by its id. */
export async function getImport(db: Db, id: ImportId): Promise<Import> {
  return await db.one<Import>(sql`select ${COLUMNS} from imports where id = ${id}`)
}

/** An import, with its row locked until the transaction ends. */
export async function lockImport(db: Db, id: ImportId): Promise<Import> {
  return await db.one<Import>(sql`select ${COLUMNS} from imports where id = ${id} for update`)
}

/** Whether an import was not started, so that its seller can delete it. */
export function isDeletable({ status }: Pick<Import, 'status'>): boolean {
  return status === 'uploaded' || status === 'read' || status === 'checked'
}

/** A page of the imports for an app by its current seller, latest first. */
export async function listImports(
  db: Db,
  app_id: AppId,
  page: { limit: number; offset: number },
): Promise<Import[]> {
  return await db.rows<Import>(sql`select ${COLUMNS} from imports
    where app_id = ${app_id} and ${SHOWN}
    order by created_at desc, id limit ${page.limit} offset ${page.offset}`)
}

/** The number of imports for an app by its current seller. */
export async function countImports(db: Db, app_id: AppId): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) from imports
    where app_id = ${app_id} and ${SHOWN}`)
  return count
}

/** Updates an import. Absent fields do not change. */
export async function changeImport(
  db: Db,
  id: ImportId,
  change: Partial<
    Pick<
      Import,
      | 'status'
      | 'columns'
      | 'matched'
      | 'plans'
      | 'notifies'
      | 'rows'
      | 'faults'
      | 'counts'
      | 'done_place'
      | 'finished_at'
    >
  >,
): Promise<void> {
  const { columns, matched, plans, counts } = change
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  await db.run(sql`update imports set status = coalesce(${change.status ?? null}::text, status),
      columns = coalesce(${json(columns)}::jsonb, columns),
      matched = coalesce(${json(matched)}::jsonb, matched),
      plans = coalesce(${json(plans)}::jsonb, plans),
      counts = coalesce(${json(counts)}::jsonb, counts),
      notifies = coalesce(${change.notifies ?? null}::boolean, notifies),
      rows = coalesce(${change.rows ?? null}::integer, rows),
      faults = coalesce(${change.faults ?? null}::integer, faults),
      done_place = coalesce(${change.done_place ?? null}::integer, done_place),
      finished_at = coalesce(${change.finished_at ?? null}::timestamptz, finished_at)
    where id = ${id}`)
}

/** Imports whose files are no longer needed: uploaded before an instant, and still stored. */
export async function staleUploads(
  db: Db,
  before: Date,
  limit: number,
): Promise<Pick<Import, 'id' | 'file_bytes'>[]> {
  return await db.rows<Pick<Import, 'id' | 'file_bytes'>>(sql`select id, file_bytes from imports
    where has_file and created_at <= ${before} order by created_at limit ${limit}`)
}

/** Deletes the file of an import. One that was deleted before is no error. */
export async function deleteFile(
  { db, storage }: { db: Db; storage: Pick<FileStorage, 'remove'> },
  upload: Pick<Import, 'id' | 'file_bytes'>,
): Promise<void> {
  for (const key of uploadKeys(upload)) await storage.remove(key)
  await db.run(sql`update imports set has_file = false where id = ${upload.id}`)
}

/** Deletes an import whose file was never read. */
export async function dropImport(db: Db, id: ImportId): Promise<void> {
  await db.run(sql`delete from imports where id = ${id} and status = 'uploaded'`)
}

/** A file is stored in parts, so that none has to be in memory as a whole when it is read. */
export const UPLOAD_PART_BYTES = 1024 * 1024

/** The keys of the parts of an uploaded file in the service's storage, in their order. */
export function uploadKeys({ id, file_bytes }: Pick<Import, 'id' | 'file_bytes'>): string[] {
  const count = Math.ceil(file_bytes / UPLOAD_PART_BYTES)
  return Array.from({ length: count }, (_, part) => `imports/${id}/${part}`)
}
