import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, LicenseId, ProductId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Comp } from './comps.ts'
import type { KeyTools } from './key.ts'
import { mint } from './licenses.ts'
import type { LicenseStatus } from './status.ts'
import { type PausableLicense, setEndDay, transition } from './transitions.ts'

/** Whether the seller chose to email the license's owner. */
interface Reminded {
  reminds?: boolean
}

/** The days before the end of an imported license on which its owner is reminded. */
const REMIND_DAYS = 7

/**
 * Creates a license that another service sold, with a key. It entitles its owner until `ends_at`,
 * the end of the time paid for there, or forever. Throws if the person has a live license for the
 * app.
 */
export async function grantImported(
  db: Db,
  now: Date,
  tools: KeyTools,
  license: Comp & Reminded,
): Promise<void> {
  const { ends_at, license_id } = license
  const status = statusOf(ends_at)
  await mint(db, now, tools, { ...license, status, period_end: ends_at, trigger: 'import' })
  if (!ends_at) return
  await setEndDay(db, { license_id, canceled_at: ends_at })
  await setReminder(db, now, license)
}

/** Changes the plan or the end of an imported license to match a newer file. */
export async function changeImported(
  db: Db,
  now: Date,
  change: { license_id: LicenseId; product_id: ProductId; ends_at: Date | null } & Reminded,
): Promise<void> {
  const { license_id, product_id, ends_at } = change
  const to = statusOf(ends_at)
  const step = { license_id, trigger: 'import_changed', to, product_id } as const
  await transition(db, now, { ...step, period_end: ends_at })
  await setEndDay(db, { license_id, canceled_at: ends_at })
  await setReminder(db, now, change)
}

/** Why an imported license cannot be continued with a card. */
export type ContinuationRefusal =
  /** It has ended, or its paid period has. */
  | 'ended'
  /** It is suspended. */
  | 'suspended'
  /** It already renews, or was never imported. */
  | 'renews'
  /** It was paid once, so there is nothing to continue. */
  | 'paid'

/**
 * Why a license cannot be continued with a card at a time of its app; undefined if it can. It does
 * not end while its buyer's card is being checked (`paying`).
 */
export function continuationRefusal(
  now: Date,
  license: Pick<PausableLicense, 'origin' | 'status' | 'period_end'>,
  { paying = false }: { paying?: boolean } = {},
): ContinuationRefusal | undefined {
  const { origin, status, period_end } = license
  if (status === 'canceled') return 'ended'
  if (origin !== 'import') return 'renews'
  if (status === 'paused') return 'suspended'
  if (status !== 'active' || !period_end) return 'paid'
  return period_end > now || paying ? undefined : 'ended'
}

/**
 * Continues an imported license with a card: it is a purchase from now on, and renews at the end of
 * what was paid at the other service.
 */
export async function continueImported(db: Db, now: Date, license_id: LicenseId): Promise<void> {
  await transition(db, now, { license_id, trigger: 'continued', to: 'active' })
  await db.run(sql`update licenses set origin = 'purchase', canceled_at = null,
      reminds_at = null
    where id = ${license_id} and origin = 'import'`)
}

/** An end that is nearer than the reminder needs none: the email about the import names it. */
async function setReminder(
  db: Db,
  now: Date,
  license: { license_id: LicenseId; ends_at: Date | null } & Reminded,
): Promise<void> {
  const { license_id, ends_at, reminds = false } = license
  const at = reminds && ends_at ? addDays(ends_at, -REMIND_DAYS) : null
  await db.run(sql`update licenses set reminds_at = ${at && at > now ? at : null}
    where id = ${license_id}`)
}

/** The imported licenses whose owners are to be reminded of their end, of all apps or of one. */
export async function dueReminders(
  db: Db,
  now: Date,
  { app_id, limit }: { app_id?: AppId | undefined; limit: number },
): Promise<LicenseId[]> {
  const isReminded = sql`l.origin = 'import' and l.status = 'active'
    and (${app_id ?? null}::text is null or l.app_id = ${app_id ?? null})`
  const rows = await db.rows<{ id: LicenseId }>(sql`
    select l.id, l.reminds_at from licenses l where ${isReminded} and l.reminds_at <= ${now}
    union select l.id, l.reminds_at from apps a join licenses l on l.app_id = a.id
      where ${isReminded} and a.clock_ahead > 0
        and l.reminds_at <= ${now}::timestamptz + a.clock_ahead * interval '1 second'
    order by reminds_at, id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Claims a due reminder, so that it is sent once. False if it was already claimed. */
export async function claimReminder(db: Db, now: Date, license_id: LicenseId): Promise<boolean> {
  const taken = await db.maybe<{ id: LicenseId }>(sql`update licenses set reminds_at = null
    where id = ${license_id} and reminds_at <= ${now} and origin = 'import' and status = 'active'
    returning id`)
  return taken !== undefined
}

/** When an app's next reminder is due; undefined if none is. */
export async function nextReminder(db: Db, app_id: AppId): Promise<Date | undefined> {
  const { at } = await db.one<{ at: Date | null }>(sql`select min(reminds_at) as at from licenses
    where app_id = ${app_id} and origin = 'import' and status = 'active'`)
  return at ?? undefined
}

function statusOf(ends_at: Date | null): LicenseStatus {
  return ends_at ? 'active' : 'one_time_active'
}
