import type { AuditChannel } from '#platform/audit'
import type { Db } from '#platform/db'
import { type Sql, sql } from '#platform/sql'

/** An entry of the audit log as it was written. */
export interface LoggedEntry {
  id: number
  at: Date
  /** `usr_…`, an app's client id, `command` or `anonymous`. */
  actor: string
  action: string
  subject: string
  request_id: string | null
  detail: Record<string, unknown>
  address: string | null
  agent: string | null
  channel: AuditChannel
}

/** A search of the audit log. An absent field matches everything. */
export interface AuditFilter {
  actor?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  /** The seller whose members, agents and apps acted, or about whom staff did. */
  seller_id?: string | undefined
  since?: Date | undefined
  /** Exclusive. */
  until?: Date | undefined
}

/** The position of an entry in the order of time, for the page after it. */
export type AuditCursor = Pick<LoggedEntry, 'at' | 'id'>

// A bound that is always present lets the index scan start there, whatever the plan.
const LATEST = sql`'infinity'::timestamptz`
const EARLIEST = sql`'-infinity'::timestamptz`
const HIGHEST = sql`9223372036854775807`

/** Entries before `below`, latest first. */
export async function listAudit(
  db: Db,
  { below, limit, ...filter }: AuditFilter & { below?: AuditCursor | undefined; limit: number },
): Promise<LoggedEntry[]> {
  const { subject, actor, action, seller_id } = filter
  // The order begins with the most selective condition, so that only its index serves it.
  const first =
    subject !== undefined
      ? sql`l.subject desc,`
      : actor !== undefined
        ? sql`l.actor desc,`
        : seller_id !== undefined
          ? sql`l.seller_id desc,`
          : action !== undefined
            ? sql`l.action desc,`
            : sql``
  return await db.rows<LoggedEntry>(sql`select l.id, l.at, l.actor, l.action, l.subject,
      l.request_id, l.detail, l.address, l.agent, l.channel
    from audit_log l where ${conditionOf(filter)}
      and (l.at, l.id) < (coalesce(${below?.at ?? null}, ${LATEST}),
        coalesce(${below?.id ?? null}::bigint, ${HIGHEST}))
    order by ${first} l.at desc, l.id desc limit ${limit}`)
}

/** The number of entries, for the progress of an export. */
export async function countAudit(db: Db, filter: AuditFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from audit_log l where ${conditionOf(filter)}`,
  )
  return count
}

function conditionOf({ actor, action, subject, seller_id, since, until }: AuditFilter): Sql {
  const ofSeller =
    seller_id === undefined ? sql`` : sql`and l.seller_id between ${seller_id} and ${seller_id}`
  const ofActor = actor === undefined ? sql`` : sql`and l.actor between ${actor} and ${actor}`
  const ofAction = action === undefined ? sql`` : sql`and l.action between ${action} and ${action}`
  const ofSubject =
    subject === undefined ? sql`` : sql`and l.subject between ${subject} and ${subject}`
  return sql`l.at >= coalesce(${since ?? null}, ${EARLIEST})
    and l.at < coalesce(${until ?? null}, ${LATEST}) ${ofActor} ${ofAction} ${ofSubject}
    ${ofSeller}`
}
