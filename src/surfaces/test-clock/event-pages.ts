import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { oldestTransaction } from '#platform/open-transactions'

/** Where a reader of an app's events is: after `count` of the events at a time. */
export interface EventCursor {
  at: Date
  count: number
}

/** A page of events, and the cursor after it. */
export interface EventPage {
  events: billing.TimelineEvent[]
  cursor: EventCursor
  has_more: boolean
}

/** Events this recent may still be joined by one of a transaction that has not started yet. */
const SETTLED_MS = 1000
// More events at one time than an advance of a day makes.
const MAX_AT_ONCE = 10_000

/** The cursor of an earlier response; undefined if it is invalid. */
export function readCursor(text: string): EventCursor | undefined {
  const [, at, count] = /^(\d{1,15})-(\d{1,6})$/.exec(text) ?? []
  return at && count ? { at: new Date(Number(at)), count: Number(count) } : undefined
}

/** A cursor as text, for a response. */
export function cursorText({ at, count }: EventCursor): string {
  return `${at.getTime()}-${count}`
}

/**
 * The events after a cursor, up to the time before which no more can appear. An open transaction
 * may still write events that are dated when it began, so later events wait until it ends.
 */
export async function eventsAfter(
  db: Db,
  of: { app_id: AppId; now: Date; limit: number },
  cursor: EventCursor,
): Promise<EventPage> {
  const { app_id, limit } = of
  const to = (await settled(db, of)) ?? cursor.at
  // The times of events are whole milliseconds, so this includes those at the cursor.
  const span = { app_id, from: new Date(cursor.at.getTime() - 1), to }
  const page = { limit: limit + 1, offset: cursor.count }
  const found = to < cursor.at ? [] : await billing.timelineEvents(db, span, page)
  const events = found.slice(0, limit)
  return { events, cursor: after(cursor, events), has_more: found.length > limit }
}

/** The latest events, and the cursor after them. */
export async function latestEvents(
  db: Db,
  { app_id, now, limit }: { app_id: AppId; now: Date; limit: number },
): Promise<EventPage> {
  // Before the clock moved, events are not about to be read in order.
  const to = (await settled(db, { app_id, now })) ?? new Date(now.getTime() - SETTLED_MS)
  const page = { limit, is_reversed: true as const }
  const events = (await billing.timelineEvents(db, { app_id, to }, page)).reverse()
  const last = events.at(-1)
  if (!last) return { events, cursor: { at: to, count: 0 }, has_more: false }
  const at_once = { app_id, from: new Date(last.at.getTime() - 1), to: last.at }
  const all = await billing.timelineEvents(db, at_once, { limit: MAX_AT_ONCE, offset: 0 })
  return { events, cursor: { at: last.at, count: all.length }, has_more: false }
}

/**
 * The app's time before which every event is visible. Undefined while a transaction that began
 * before the test clock moved is open, because its events have times from before the move.
 */
async function settled(db: Db, of: { app_id: AppId; now: Date }): Promise<Date | undefined> {
  const open = await oldestTransaction(db)
  if (!open) return new Date(of.now.getTime() - SETTLED_MS)
  const moved_at = await apps.clockMovedAt(db, of.app_id)
  if (moved_at && open.begun_at <= moved_at) return undefined
  return new Date(of.now.getTime() - SETTLED_MS - Math.ceil(open.open_seconds * 1000))
}

/** The cursor after these events: it counts those at the time of the last one. */
function after(cursor: EventCursor, events: billing.TimelineEvent[]): EventCursor {
  const last = events.at(-1)
  if (!last) return cursor
  const same = events.filter(({ at }) => at.getTime() === last.at.getTime()).length
  const before = cursor.at.getTime() === last.at.getTime() ? cursor.count : 0
  return { at: last.at, count: before + same }
}
