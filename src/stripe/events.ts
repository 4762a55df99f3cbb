import {
  type EventContent,
  markHandled,
  type ProcessorEvent,
  receive,
  recordFailure,
  unhandled,
} from '#domain/payments'
import type { Db } from '#platform/db'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { callStripe, isRefusal, reportingRefusals, type StripeParts } from './client.ts'
import type { CreatedObject } from './idempotent-requests.ts'
import { type AnnouncedEvent, type ParsedEvent, restoreDates } from './parse-event.ts'
import { reverseTransfer } from './payouts.ts'
import * as requests from './requests.ts'

interface StoredEvent extends ParsedEvent {
  id: string
}

/**
 * Stripe's events that are due and not handled yet, in the order in which they happened. Events
 * older than one that was already handled for the same object are skipped.
 */
export async function events(parts: StripeParts, now: Date): Promise<ProcessorEvent[]> {
  const { db, log } = parts
  const reported: ProcessorEvent[] = []
  for (const stored of await unhandledEvents(db, now)) {
    try {
      const isRelevant = (await isOurs(parts, stored)) && !(await isSuperseded(db, stored))
      if (!isRelevant) await markHandled(db, now, stored.id)
      else reported.push(...(await eventsOf(parts, stored)))
    } catch (error) {
      log.error({ error, event_id: stored.id }, 'processor event failed; will retry')
      await recordFailure(db, parts.clock.now(), stored.id)
    }
  }
  return reported
}

async function unhandledEvents(db: Db, now: Date): Promise<StoredEvent[]> {
  const rows = await unhandled(db, now, 'stripe')
  return rows
    .map(({ id, payload }) => ({ id, ...(payload as ParsedEvent) }))
    .sort((left, right) => left.at - right.at || Number(left.is_end) - Number(right.is_end))
}

/**
 * Whether an event is about a payment or refund of this service. Other software may use the same
 * Stripe account, and its events would otherwise wait forever.
 */
async function isOurs({ stripe, db }: StripeParts, stored: StoredEvent): Promise<boolean> {
  const { content, opening, charge_id: refunded } = stored
  const first = opening ?? content
  if (
    first.kind === 'dispute_opened' ||
    first.kind === 'notice' ||
    first.kind === 'charge_refunded'
  ) {
    const { charge_id = '' } = first
    return await isOurObject(db, charge_id, () => stripe.paymentIntents.retrieve(charge_id))
  }
  if (first.kind === 'refund_settled') {
    const { refund_id } = first
    // A refund made in Stripe's dashboard is ours if its charge is.
    return (
      (await isOurObject(db, refund_id, () => stripe.refunds.retrieve(refund_id))) ||
      (refunded !== undefined &&
        (await isOurObject(db, refunded, () => stripe.paymentIntents.retrieve(refunded))))
    )
  }
  return true
}

/** Whether an object was created by a request of ours, even if its answer has not arrived. */
async function isOurObject(
  db: Db,
  id: string,
  retrieve: () => Promise<CreatedObject>,
): Promise<boolean> {
  if (await requests.findByObject(db, id)) return true
  try {
    return await isRequested(db, await callStripe(retrieve))
  } catch (error) {
    // Objects that Stripe does not return were not created by this account.
    if (isRefusal(error)) return false
    throw error
  }
}

/** Whether a later event about the object was handled; a notice is none, as it changes nothing. */
async function isSuperseded(db: Db, { object_id, at, is_end }: StoredEvent): Promise<boolean> {
  const later = await db.maybe(sql`select id from processor_events
    where processor = 'stripe' and handled_at is not null
      and payload ->> 'object_id' = ${object_id}
      and payload -> 'content' ->> 'kind' <> 'notice'
      and (payload -> 'at', payload -> 'is_end')
        > (to_jsonb(${at}::bigint), to_jsonb(${is_end}::boolean))
    limit 1`)
  return later !== undefined
}

async function eventsOf(parts: StripeParts, stored: StoredEvent): Promise<ProcessorEvent[]> {
  const { id, content, opening, if_opened } = stored
  const at = new Date(stored.at * 1000)
  if (content.kind === 'charge_refunded') {
    const { charge_id } = content
    return await reportingRefusals(parts, 'reading refunds', () =>
      readOutsideRefunds(parts, stored, charge_id),
    )
  }
  if (content.kind === 'payout_settled' && content.outcome === 'failed') {
    // The transfer must be reversed before the books record the failure.
    const { payout_id } = content
    await reportingRefusals(parts, 'the reversal of a transfer', () =>
      reverseTransfer(parts, payout_id),
    )
  }
  const event = { id, at, ...restoreDates(content) } as ProcessorEvent
  if (if_opened && !(await isOpeningReported(parts.db, stored))) {
    await markHandled(parts.db, parts.clock.now(), id)
    return []
  }
  if (!opening || (await isOpeningReported(parts.db, stored, opening))) return [event]
  return [{ id: `${id}:opening`, at, ...restoreDates(opening) } as ProcessorEvent, event]
}

/**
 * The refunds of a charge that were made in Stripe's dashboard. Each is stored as an event of its
 * own in place of the one that announced them, so that each is reported until it is handled.
 */
async function readOutsideRefunds(
  { stripe, db, clock }: StripeParts,
  { id, at }: StoredEvent,
  charge_id: string,
): Promise<ProcessorEvent[]> {
  const made: { id: string; content: EventContent }[] = []
  await callStripe(async () => {
    const listed = stripe.refunds.list({ payment_intent: charge_id, limit: 100 })
    for await (const { id: refund_id, status, amount: given, metadata } of listed) {
      if (status !== 'succeeded' && status !== 'pending') continue
      if (await isRequested(db, { id: refund_id, metadata })) continue
      const facts = { refund_id, charge_id, amount: cents(given), status } as const
      made.push({ id: `${id}:${refund_id}`, content: { kind: 'refund_made', ...facts } })
    }
  })
  const now = clock.now()
  await db.tx(async (tx) => {
    for (const { id: event_id, content } of made) {
      // Under the event's ID, so that a later event about the refund does not make this one old.
      const payload: ParsedEvent = { object_id: id, at, is_end: false, content }
      const event = { id: event_id, processor: 'stripe', kind: content.kind, payload }
      await receive(tx, now, event)
    }
    await markHandled(tx, now, id)
  })
  const announced = { at: new Date(at * 1000) }
  return made.map((event) => ({ id: event.id, ...announced, ...event.content }) as ProcessorEvent)
}

async function isRequested(db: Db, { id, metadata }: CreatedObject): Promise<boolean> {
  if (await requests.findByObject(db, id)) return true
  return metadata?.key !== undefined && (await requests.find(db, metadata.key)) !== undefined
}

/**
 * Whether the opening of a dispute was reported; `opening` as a dispute, not only as the inquiry
 * that it was before: refunds may have reduced what is disputed since.
 */
async function isOpeningReported(
  db: Db,
  { object_id }: StoredEvent,
  opening?: AnnouncedEvent,
): Promise<boolean> {
  const isDispute = opening?.kind === 'dispute_opened' && !opening.is_inquiry
  const beginning = await db.maybe(sql`select id from processor_events
    where processor = 'stripe' and payload ->> 'object_id' = ${object_id}
      and payload -> 'content' ->> 'kind' = 'dispute_opened'
      and not (${isDispute} and (payload -> 'content' -> 'is_inquiry')::boolean) limit 1`)
  return beginning !== undefined
}
