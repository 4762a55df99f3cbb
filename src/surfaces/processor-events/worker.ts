import * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import { disputeClosed, disputeOpened } from '#flows/dispute'
import { noteAccount, settlePayout } from '#flows/pay-out'
import { refundMade, refundSettled } from '#flows/refund'
import type { World } from '#flows/world'
import { raiseAlarm } from '#platform/alarms'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { EMAIL_QUEUE } from '#platform/email-queue'

type Event = payments.ProcessorEvent
type EventKind = Event['kind']
type EventOf<K extends EventKind> = Extract<Event, { kind: K }>

/** `later`: what the event tells of is not on our books yet, or not due there; it comes again. */
// biome-ignore lint/suspicious/noConfusingVoidType: a story that never waits has nothing to say.
type Heard = Promise<'done' | 'later' | void>

/** What is done about an event in the transaction that marks it as handled; `later` undoes all. */
const WITHIN: { [K in EventKind]?: (world: World, tx: Db, event: EventOf<K>) => Heard } = {
  dispute_opened: disputeOpened,
  dispute_closed: disputeClosed,
  refund_made: refundMade,
  refund_settled: refundSettled,
  notice,
}

/** What only staff can act on; where it is about a charge, with the way to its sale. */
async function notice({ random }: World, tx: Db, event: EventOf<'notice'>): Promise<void> {
  const { subject, message, charge_id, at } = event
  const charge = charge_id ? await payments.findCharge(tx, charge_id) : undefined
  const href = charge ? { href: `/admin/sales/${charge.invoice_id}/` } : {}
  await raiseAlarm(tx, random, at, { kind: 'processor_notice', subject, message, ...href })
}

/** What asks the processor again, so that it runs outside of any transaction; twice does no harm. */
const OUTSIDE: { [K in EventKind]?: (world: World, event: EventOf<K>) => Heard } = {
  payout_settled: settlePayout,
  account_changed: noteAccount,
}

/** Thrown where processor event failed; will retry, so that its transaction leaves nothing. */
class Later extends Error {}

/**
 * Hears what the processor tells by itself, each event once, and returns how many were done. An
 * app's own clock may be ahead of the service's: what is told for its time is heard, and what is
 * told for others' is left until it is due there.
 */
export async function handleEvents(world: World): Promise<number> {
  const { processor, db, clock, log, jobs } = world
  const furthest = addSeconds(clock.now(), await apps.furthestClock(db))
  let done = 0
  for (const event of await processor.events(furthest)) {
    if (world.stopping.aborted) break
    try {
      await handle(world, event)
      await processor.acknowledge(event.id)
      done++
    } catch (error) {
      if (error instanceof Later) continue
      log.error(
        { error, event_id: event.id, kind: event.kind },
        'processor event failed; will retry',
      )
    }
  }
  if (done > 0) jobs.wake(EMAIL_QUEUE)
  return done
}

async function handle(world: World, event: Event): Promise<void> {
  const { db, clock, processor } = world
  const { id, kind } = event
  const outside = OUTSIDE[kind] as ((world: World, event: Event) => Heard) | undefined
  if ((await outside?.(world, event)) === 'later') throw new Later(id)
  await db.tx(async (tx) => {
    const now = clock.now()
    await payments.receive(tx, now, { id, kind, processor: processor.name, payload: event })
    if (!(await payments.markHandled(tx, now, id))) return
    const within = WITHIN[kind] as ((world: World, tx: Db, event: Event) => Heard) | undefined
    if ((await within?.(world, tx, event)) === 'later') throw new Later(id)
  })
}
