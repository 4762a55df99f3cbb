import type { Db } from '#platform/db'
import type { AppId, LicenseId, ProductId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { KeyTools } from './key.ts'
import { mint } from './licenses.ts'
import { setEndDay } from './transitions.ts'

/** A license that a seller gives: nothing is charged for it. */
export interface Comp {
  license_id: LicenseId
  app_id: AppId
  user_id: UserId
  product_id: ProductId
  /** When it ends; null if it never ends. */
  ends_at: Date | null
}

/** Creates a comp with a key. Throws if the person has a live license for the app. */
export async function grantComp(db: Db, now: Date, tools: KeyTools, comp: Comp): Promise<void> {
  const { ends_at, license_id } = comp
  const status = ends_at ? 'active' : 'one_time_active'
  await mint(db, now, tools, { ...comp, status, period_end: ends_at, trigger: 'comp' })
  if (ends_at) await setEndDay(db, { license_id, canceled_at: ends_at })
}

/**
 * The comps and imported licenses whose end has passed in their app's time, of all apps or of one.
 * A suspended one ends when it resumes.
 */
export async function endedUncharged(
  db: Db,
  now: Date,
  { app_id, limit }: { app_id?: AppId | undefined; limit: number },
): Promise<LicenseId[]> {
  const isUncharged = sql`l.origin in ('comp', 'import') and l.status = 'active'
    and (${app_id ?? null}::text is null or l.app_id = ${app_id ?? null})`
  // No test clock is behind the service's clock: what has ended in the service's time has ended
  // everywhere.
  const rows = await db.rows<{ id: LicenseId }>(sql`
    select l.id, l.period_end from licenses l where ${isUncharged} and l.period_end <= ${now}
    union select l.id, l.period_end from apps a join licenses l on l.app_id = a.id
      where ${isUncharged} and a.clock_ahead > 0
        and l.period_end <= ${now}::timestamptz + a.clock_ahead * interval '1 second'
    order by period_end, id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** When an app's next comp or imported license ends; undefined if none does. */
export async function nextUnchargedEnd(db: Db, app_id: AppId): Promise<Date | undefined> {
  const { at } = await db.one<{ at: Date | null }>(sql`select min(period_end) as at from licenses
    where app_id = ${app_id} and origin in ('comp', 'import') and status = 'active'`)
  return at ?? undefined
}
