import * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import { disputeClosed, disputeOpened } from '#flows/dispute'
import { accountChanged, settlePayout } from '#flows/pay-out'
import { refundMade, refundSettled } from '#flows/refund'
import type { World } from '#flows/world'
import { raiseAlarm } from '#platform/alarms'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { eachInPages } from '#platform/read-in-pages'

type Event = payments.ProcessorEvent
type EventKind = Event['kind']
type Events = { [E in Event as E['kind']]: E }

/** `later`: the event is about something not recorded or not due yet, and is retried. */
// biome-ignore lint/suspicious/noConfusingVoidType: handlers that always finish return nothing.
type Handled = Promise<'done' | 'later' | void>

/** How each event is handled. */
const HANDLERS: { [K in EventKind]: Handler<Events[K]> } = {
  dispute_opened: { within: disputeOpened },
  dispute_closed: { within: disputeClosed },
  refund_made: { within: refundMade },
  refund_settled: { within: refundSettled },
  notice: { within: processorNotice },
  payout_settled: { outside: settlePayout },
  account_changed: { outside: accountChanged },
}

/**
 * `within` runs in the transaction that marks the event as handled; `later` rolls it back.
 * `outside` asks the processor again, so it runs before that transaction, and may run twice.
 */
type Handler<E> =
  | { within: (world: World, tx: Db, event: E) => Handled; outside?: undefined }
  | { outside: (world: World, event: E) => Handled; within?: undefined }

/** Raises an alarm for staff; a notice about a charge links to its sale. */
async function processorNotice(
  { random, processor }: World,
  tx: Db,
  event: Events['notice'],
): Promise<void> {
  const { subject, message, charge_id, at } = event
  const of = charge_id && { processor: processor.name, id: charge_id }
  const charge = of ? await payments.findCharge(tx, of) : undefined
  const href = charge && `/admin/sales/${charge.invoice_id}/`
  await raiseAlarm(tx, random, at, { kind: 'processor_notice', subject, message, href })
}

/** Thrown to roll back the transaction of an event that will be retried. */
class RetryLater extends Error {}

/**
 * Handles the processor's pending events, each once, and returns how many were handled. A failed
 * event is retried later and does not block the others. An event is due by the clock of its app;
 * earlier ones stay pending.
 */
export async function handleEvents(world: World): Promise<number> {
  const { processor, db, clock, log } = world
  const latest_time = addSeconds(clock.now(), await apps.furthestClock(db))
  let done = 0
  const events = eachInPages<Event, Event>(
    (page) => processor.events(latest_time, page),
    (last) => last,
  )
  for await (const event of events) {
    if (world.stopping.aborted) break
    try {
      await handle(world, event.kind, event)
      await processor.acknowledge(event.id)
      done++
    } catch (error) {
      if (!(error instanceof RetryLater)) {
        const facts = { error, event_id: event.id, kind: event.kind }
        log.error(facts, 'processor event failed; will retry')
      }
      await payments.recordFailure(db, clock.now(), event.id)
    }
  }
  return done
}

async function handle<K extends EventKind>(world: World, kind: K, event: Events[K]): Promise<void> {
  const { db, clock, processor } = world
  const { id } = event
  const { within, outside }: Handler<Events[K]> = HANDLERS[kind]
  if ((await outside?.(world, event)) === 'later') throw new RetryLater(id)
  await db.tx(async (tx) => {
    const now = clock.now()
    await payments.receive(tx, now, { id, kind, processor: processor.name, payload: event })
    if (!(await payments.markHandled(tx, now, id))) return
    if ((await within?.(world, tx, event)) === 'later') throw new RetryLater(id)
  })
}
