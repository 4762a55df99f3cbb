import * as imports from '#domain/imports'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { ImportId } from '#platform/ids'
import { rowsAtOnce } from './batch.ts'
import type { ReportImport } from './read.ts'
import { lockOwnImport } from './run.ts'

const DELETED_AT_ONCE = 1_000

/**
 * Deletes an import that was not started, with its file, rows and faults. False if it was started,
 * or the app was transferred. Retention finishes what a crash interrupts.
 */
export async function deleteImport(
  world: World,
  actor: ActorOf<'seller'>,
  id: ImportId,
  report: ReportImport,
): Promise<boolean> {
  const { db, clock } = world
  const deleted = await db.tx(async (tx) => {
    const now = clock.now()
    const found = await lockOwnImport(tx, id)
    if (!found || !imports.isDeletable(found)) return undefined
    const { app_id, source, file_name, rows } = found
    await imports.markDeleted(tx, now, id)
    const detail = { app_id, source, file_name, rows }
    await audit(tx, now, { actor, action: 'app.import_deleted', subject: id, detail })
    return found
  })
  if (!deleted) return false
  const limit = rowsAtOnce(db, DELETED_AT_ONCE)
  await imports.emptyDeleted(world, { ...deleted, limit }, report)
  return true
}
