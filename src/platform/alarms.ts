import type { Db } from '#platform/db'
import { type AlarmId, mintId } from '#platform/ids'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'

/** The kinds of alarms, as keys: the layers above add theirs (src/flows/closed-sets.ts). */
// biome-ignore lint/suspicious/noEmptyInterface: the layers above add its keys.
export interface AlarmKinds {}

/** What went wrong, such as `processor_refused`. */
export type AlarmKind = keyof AlarmKinds

/** A problem that the service cannot fix, for staff to resolve. */
export interface Alarm {
  id: string
  kind: AlarmKind
  /** The id or name of what it concerns. */
  subject: string
  /** What happened and what to do next, for staff. */
  message: string
  /** The page on which staff can act. */
  href: string | null
  /** How often it was raised while it was open. */
  count: number
  raised_at: Date
  last_at: Date
}

export type NewAlarm = Pick<Alarm, 'kind' | 'subject' | 'message'> & { href?: string }

/** Raises an alarm. If one of the same kind and subject is open, its count increases instead. */
export async function raiseAlarm(
  db: Db,
  random: Random,
  now: Date,
  { kind, subject, message, href }: NewAlarm,
): Promise<void> {
  await db.run(sql`insert into alarms (id, kind, subject, message, href, raised_at, last_at)
    values (${mintId(random, 'alm')}, ${kind}, ${subject}, ${message}, ${href ?? null},
      ${now}, ${now})
    on conflict (kind, subject) where resolved_at is null do update
      set count = alarms.count + 1, last_at = excluded.last_at, message = excluded.message`)
}

/** Resolves an alarm whose cause no longer exists. */
export async function clearAlarm(
  db: Db,
  now: Date,
  { kind, subject }: Pick<Alarm, 'kind' | 'subject'>,
): Promise<void> {
  await db.run(sql`update alarms set resolved_at = ${now}
    where kind = ${kind} and subject = ${subject} and resolved_at is null`)
}

/** Resolves an alarm by its id and returns it; undefined if it is not open. */
export async function resolveAlarm(db: Db, now: Date, id: AlarmId): Promise<Alarm | undefined> {
  return await db.maybe<Alarm>(sql`update alarms set resolved_at = ${now}
    where id = ${id} and resolved_at is null returning ${COLUMNS}`)
}

/** A page of the open alarms, latest first. */
export async function openAlarms(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<Alarm[]> {
  return await db.rows<Alarm>(sql`select ${COLUMNS} from alarms
    where resolved_at is null order by last_at desc, id limit ${limit} offset ${offset}`)
}

const COLUMNS = sql`id, kind, subject, message, href, count, raised_at, last_at`
