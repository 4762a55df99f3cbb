import { isDeepStrictEqual } from 'node:util'
import * as imports from '#domain/imports'
import type { World } from '#flows/world'
import type { ImportId } from '#platform/ids'
import { refreshStatistics } from '#platform/statistics'
import { rowsAtOnce } from './batch.ts'
import type { ReportImport } from './read.ts'
import { decideNext, nothingDone } from './rows.ts'

const CHECKED_AT_ONCE = 500

/**
 * The dry run: decides what would be done with each row, and changes nothing but the report. The
 * import itself decides again, as licenses may have changed by then. One that was checked, or
 * started, is left as it is. If other plans are chosen while it runs, it decides again by them.
 */
export async function checkImport(
  world: World,
  id: ImportId,
  report: ReportImport,
): Promise<imports.Import> {
  const { db } = world
  const read = await imports.getImport(db, id)
  if (read.status !== 'read') return read
  await refreshStatistics(db, ['import_rows'])
  const limit = rowsAtOnce(db, CHECKED_AT_ONCE)
  await imports.orderRows(db, id)
  const done = nothingDone()
  let after = 0
  for (let count = 0; ; ) {
    const rows = await decideNext(db, read, { after, limit, done })
    if (rows.length === 0) break
    await imports.setOutcomes(db, id, rows)
    after = rows.at(-1)!.place
    count += rows.length
    await report({ done: count, total: read.rows, note: '' })
  }
  const checked = await db.tx(async (tx) => {
    const { status, plans } = await imports.lockImport(tx, id)
    if (status !== 'read' || !isDeepStrictEqual(plans, read.plans)) return undefined
    const counts = await imports.countOutcomes(tx, id)
    await imports.changeImport(tx, id, { status: 'checked', counts, done_place: 0 })
    return { ...read, status: 'checked' as const, counts }
  })
  return checked ?? (await checkImport(world, id, report))
}
