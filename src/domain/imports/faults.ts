import type { Db } from '#platform/db'
import type { ImportId } from '#platform/ids'
import { columnsOf, rowsOf, sql } from '#platform/sql'

/** What is wrong with a line of a file. */
export interface ImportFault {
  place: number
  line: number
  /** The name of the column; null for the line as a whole. */
  column_name: string | null
  /** The value, shortened. */
  value: string
  message: string
}

/** The most faults of lines stored for a file. The rest are only counted. */
export const MAX_FAULTS = 10_000

/** The place of a fault of the file as a whole, before those of its lines. */
export const FILE_PLACE = 0

/** Stores faults of a file. */
export async function addFaults(
  db: Db,
  import_id: ImportId,
  faults: readonly ImportFault[],
): Promise<void> {
  await db.run(sql`insert into import_faults (import_id, ${columnsOf(TYPES)})
    select ${import_id}, row.* from ${rowsOf(faults, TYPES)}
    on conflict (import_id, place) do nothing`)
}

const TYPES = {
  place: 'int',
  line: 'int',
  column_name: 'text',
  value: 'text',
  message: 'text',
} as const

/** Deletes the faults of a file, before it is read again. */
export async function deleteFaults(db: Db, import_id: ImportId): Promise<void> {
  await db.run(sql`delete from import_faults where import_id = ${import_id}`)
}

/** The first faults of a file, in its order; those after a place if it is named. */
export async function faultsOf(
  db: Db,
  of: { import_id: ImportId; after?: number | undefined; limit: number },
): Promise<ImportFault[]> {
  return await db.rows<ImportFault>(sql`select place, line, column_name, value, message
    from import_faults where import_id = ${of.import_id} and place > ${of.after ?? -1}
    order by place limit ${of.limit}`)
}

/** The number of faults of a file that are stored. */
export async function countFaults(db: Db, import_id: ImportId): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) from import_faults where import_id = ${import_id}`,
  )
  return count
}
