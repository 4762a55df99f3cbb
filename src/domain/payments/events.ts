import type { Db } from '#platform/db'
import type { ProcessorId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { ProcessorEvent } from './processor-event.ts'

/**
 * The kind of an event: one of the port's kinds. An adapter that stores events as they arrive keeps
 * its processor's own name, which has a dot (`charge.refunded`).
 */
export type ReceivedKind = ProcessorEvent['kind'] | `${string}.${string}`

/** An event of the processor, as it was received. */
export interface ReceivedEvent {
  /** The processor's id of it. */
  id: string
  processor: string
  kind: ReceivedKind
  payload: object
}

/** Records an event of the processor; false if it is known, as events may be repeated. */
export async function receive(db: Db, now: Date, event: ReceivedEvent): Promise<boolean> {
  const { id, processor, kind } = event
  const payload = JSON.stringify(event.payload)
  const inserted = await db.run(sql`insert into processor_events
    (id, processor, kind, payload, received_at)
    values (${id}, ${processor}, ${kind}, ${payload}, ${now})
    on conflict (id) do nothing`)
  return inserted === 1
}

/** An event that could not be handled yet, and is retried. */
export interface FailedEvent extends Pick<ReceivedEvent, 'id' | 'kind'> {
  received_at: Date
  /** How often handling it failed. */
  failures: number
  retry_at: Date
}

/** The longest time until a failed event is retried. */
const RETRY_SECONDS = 600

/**
 * A hundred unhandled events of a processor that are due, the longest due first: one that failed is
 * due when it is retried.
 */
export async function unhandled(db: Db, now: Date, processor: string): Promise<ReceivedEvent[]> {
  return await db.rows<ReceivedEvent>(sql`select id, processor, kind, payload from processor_events
    where processor = ${processor} and handled_at is null
      and coalesce(retry_at, received_at) <= ${now}
    order by coalesce(retry_at, received_at), id limit 100`)
}

/**
 * Records that an event could not be handled now. It is retried after two seconds, and after twice
 * as long with each further failure, up to ten minutes.
 */
export async function recordFailure(db: Db, now: Date, id: string): Promise<void> {
  await db.run(sql`update processor_events set failures = failures + 1,
      retry_at = ${now}::timestamptz
        + least(2 ^ least(failures + 1, 20), ${RETRY_SECONDS}) * interval '1 second'
    where id = ${id} and handled_at is null`)
}

/** Makes every failed event due now. */
export async function retryFailed(db: Db, now: Date): Promise<void> {
  await db.run(sql`update processor_events set retry_at = ${now}
    where handled_at is null and retry_at > ${now}`)
}

/** The events that failed and are not handled yet, earliest first. */
export async function listFailed(
  db: Db,
  { received_before, limit }: { received_before?: Date; limit: number },
): Promise<FailedEvent[]> {
  const early = received_before ? sql`and received_at < ${received_before}` : sql``
  return await db.rows<FailedEvent>(sql`select id, kind, received_at, failures, retry_at
    from processor_events where handled_at is null and retry_at is not null ${early}
    order by received_at, id limit ${limit}`)
}

/**
 * Marks an event as handled; false if it already was. Called in the transaction of the event's
 * effects, so that they happen once.
 */
export async function markHandled(db: Db, now: Date, id: string): Promise<boolean> {
  const marked = await db.run(sql`update processor_events set handled_at = ${now}
    where id = ${id} and handled_at is null`)
  return marked === 1
}

/**
 * One transaction at a time handles an event about this refund, until it ends: what arrives while
 * the refund is being recorded neither misses it nor is missed.
 */
export async function lockRefundEvents(tx: Db, refund_id: ProcessorId): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${refund_id}, 20))`)
}

/** How a refund ended by an event that was handled already; undefined if none said so. */
export async function handledOutcome(
  db: Db,
  { processor, refund_id }: { processor: string; refund_id: ProcessorId },
): Promise<'succeeded' | 'failed' | undefined> {
  // A stored event has its content apart.
  const event = await db.maybe<{ outcome: 'succeeded' | 'failed' | null }>(sql`
    select coalesce(payload ->> 'outcome', payload -> 'content' ->> 'outcome') as outcome
    from processor_events
    where coalesce(payload ->> 'refund_id', payload -> 'content' ->> 'refund_id') = ${refund_id}
      and processor = ${processor} and handled_at is not null
      and coalesce(payload ->> 'outcome', payload -> 'content' ->> 'outcome') is not null
    order by handled_at desc, id limit 1`)
  return event?.outcome ?? undefined
}
