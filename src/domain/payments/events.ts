import type { Db } from '#platform/db'
import type { ProcessorId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { ProcessorEvent } from './processor.ts'

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

/**
 * A hundred unhandled events of a processor, in the order of their arrival; those that failed come
 * after the others, so that they delay none of them.
 */
export async function unhandled(db: Db, processor: string): Promise<ReceivedEvent[]> {
  return await db.rows<ReceivedEvent>(sql`select id, processor, kind, payload from processor_events
    where processor = ${processor} and handled_at is null
    order by coalesce(failed_at, received_at), id limit 100`)
}

/** Records that an event could not be handled now. */
export async function noteFailure(db: Db, now: Date, id: string): Promise<void> {
  await db.run(sql`update processor_events set failed_at = ${now}
    where id = ${id} and handled_at is null`)
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
