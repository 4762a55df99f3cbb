import type { EventContent, PageOfEvents, ProcessorEvent } from '#domain/payments'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Random } from '#platform/random'
import { ROWS_AT_ONCE } from '#platform/read-in-pages'
import { sql } from '#platform/sql'

/** The subject of an event: a dispute, a refund, a payout or an account. */
export interface Subject {
  id: string
  charge_id?: string
}

/** Schedules an event. */
export async function schedule(
  db: Db,
  random: Random,
  due_at: Date,
  { id, charge_id = undefined }: Subject,
  content: EventContent,
): Promise<void> {
  await db.run(sql`insert into sandbox.events (id, subject, charge_id, content, due_at)
    values (${mintId(random, 'evt')}, ${id}, ${charge_id ?? null}, ${JSON.stringify(content)},
      ${due_at})`)
}

/** Deletes the events of a subject after a time. */
export async function unschedule(db: Db, subject: string, after: Date): Promise<void> {
  await db.run(sql`delete from sandbox.events
    where subject = ${subject} and due_at > ${after} and not acknowledged`)
}

/** A page of the due events that were not acknowledged, by time. */
export async function due(
  db: Db,
  now: Date,
  { after, limit = ROWS_AT_ONCE }: PageOfEvents = {},
): Promise<ProcessorEvent[]> {
  const later = after
    ? sql`and (due_at, position)
        > (select due_at, position from sandbox.events where id = ${after.id})`
    : sql``
  const rows = await db.rows<{ id: string; due_at: Date; content: EventContent }>(sql`
    select id, due_at, content from sandbox.events
    where not acknowledged and due_at <= ${now} ${later}
    order by due_at, position limit ${limit}`)
  return rows.map(({ id, due_at, content }) => ({ id, at: due_at, ...restoreDates(content) }))
}

/** Restores the dates, which JSON stores as strings. */
function restoreDates(content: EventContent): EventContent {
  return content.kind === 'dispute_opened'
    ? { ...content, due_at: new Date(content.due_at) }
    : content
}

/** Acknowledges an event, so that it is not returned again. */
export async function acknowledge(db: Db, id: string): Promise<void> {
  await db.run(sql`update sandbox.events set acknowledged = true where id = ${id}`)
}

/**
 * The time of the next event after a time, or undefined; with `ids`, only of these charges, refunds
 * and payouts.
 */
export async function nextAt(db: Db, after: Date, ids?: string[]): Promise<Date | undefined> {
  const ours = ids ? sql`and (charge_id = any(${ids}) or subject = any(${ids}))` : sql``
  const next = await db.maybe<{ due_at: Date }>(sql`select due_at from sandbox.events
    where not acknowledged and due_at > ${after} ${ours} order by due_at limit 1`)
  return next?.due_at
}
