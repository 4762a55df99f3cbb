import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, ImportId, SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { FileStorage } from '#platform/storage'
import { deleteFaults, MAX_FAULTS } from './faults.ts'
import { deleteFile, type Import } from './imports.ts'
import { ROW_DAYS } from './retention.ts'

/** What the imports of a seller, of all of its apps, store. */
export interface StoredImports {
  /** The files that were not read yet, in bytes. */
  bytes: number
  /** The rows that were read, and the errors of those that were not. */
  rows: number
}

const MEGABYTE = 1024 * 1024

/** The most that the files and the rows of a seller may take at the same time. */
const MAX_STORED_IMPORTS: StoredImports = { bytes: 250 * MEGABYTE, rows: 2_000_000 }

/** What a seller's imports store; one transaction at a time adds to it. */
export async function lockStoredImports(
  tx: Db,
  now: Date,
  seller_id: SellerId,
): Promise<StoredImports> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${seller_id}, 19))`)
  return await tx.one<StoredImports>(sql`select
      coalesce(sum(file_bytes) filter (where has_file), 0)::bigint as bytes,
      coalesce(sum(rows + least(faults, ${MAX_FAULTS})), 0)::bigint as rows
    from imports where seller_id = ${seller_id} and created_at > ${addDays(now, -ROW_DAYS)}`)
}

/** Why a file does not fit beside what a seller's imports store already; undefined if it does. */
export function storedFault(stored: StoredImports, added: StoredImports): string | undefined {
  const advice = 'Delete imports that you have not run'
  if (stored.bytes + added.bytes > MAX_STORED_IMPORTS.bytes) {
    const most = megabytes(MAX_STORED_IMPORTS.bytes)
    return `Your files that were not read yet take ${megabytes(stored.bytes)} MB of at most ${most} MB. ${advice}, or read their files first.`
  }
  if (stored.rows + added.rows > MAX_STORED_IMPORTS.rows) {
    const [count, most] = [stored.rows, MAX_STORED_IMPORTS.rows].map((each) =>
      each.toLocaleString('en-US'),
    )
    return `Your imports of the last ${ROW_DAYS} days have ${count} rows of at most ${most}. ${advice}, or wait: rows are deleted ${ROW_DAYS} days after their upload.`
  }
  return undefined
}

function megabytes(bytes: number): string {
  return Math.ceil(bytes / MEGABYTE).toLocaleString('en-US')
}

/** Marks an import as deleted: from here on, no page and no step finds it. */
export async function markDeleted(tx: Db, now: Date, id: ImportId): Promise<void> {
  await tx.run(sql`update imports set deleted_at = ${now} where id = ${id}`)
}

/** Marks the imports of an app's former seller as deleted, as the seller can no longer do it. */
export async function markFormerDeleted(
  tx: Db,
  now: Date,
  of: { app_id: AppId; from_seller: SellerId },
): Promise<void> {
  await tx.run(sql`update imports set deleted_at = ${now}
    where app_id = ${of.app_id} and seller_id = ${of.from_seller} and deleted_at is null`)
}

/** Whether an import was deleted. */
export async function isDeleted(db: Db, id: ImportId): Promise<boolean> {
  return !(await db.maybe(sql`select id from imports where id = ${id} and deleted_at is null`))
}

/** Deletes the file, the rows, `limit` at a time, and the faults of a deleted import. */
export async function emptyDeleted(
  { db, storage }: { db: Db; storage: Pick<FileStorage, 'remove'> },
  { id, file_bytes, rows, limit }: DeletedImport & { limit: number },
  report: (progress: {
    done: number
    total: number
    note: string
  }) => Promise<void> = async () => {},
): Promise<void> {
  await deleteFile({ db, storage }, { id, file_bytes })
  for (let done = 0, more = true; more; ) {
    const count = await db.run(sql`delete from import_rows where ctid = any(array(
      select ctid from import_rows where import_id = ${id} limit ${limit}))`)
    done += count
    more = count === limit
    await report({ done, total: Math.max(done, rows), note: '' })
  }
  await deleteFaults(db, id)
  await db.run(sql`update imports set rows = 0, faults = 0 where id = ${id}`)
}

type DeletedImport = Pick<Import, 'id' | 'file_bytes' | 'rows'>

/** Imports that were deleted before an instant. */
export async function deletedImports(
  db: Db,
  before: Date,
  limit: number,
): Promise<DeletedImport[]> {
  return await db.rows<DeletedImport>(sql`select id, file_bytes, rows from imports
    where deleted_at <= ${before} order by deleted_at limit ${limit}`)
}

/** Deletes an import that was deleted, with what may be left of it. */
export async function dropDeleted(db: Db, id: ImportId): Promise<void> {
  await db.run(sql`delete from imports where id = ${id} and deleted_at is not null`)
}
