import type { ProcessorEvent } from '#domain/payments'
import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { askAndSettle, endPayout } from './settle.ts'
import { payeeTime } from './time.ts'

// An answer that is older than this was lost, not late.
const RECONCILE_AFTER_SECONDS = 3

/** Asks again for every payout whose answer was lost, or that was put off; run at the start and every few seconds. */
export async function reconcilePayouts(
  world: World,
  { patience = RECONCILE_AFTER_SECONDS }: { patience?: number } = {},
): Promise<void> {
  for (const payout of await payouts.openPayouts(world.db)) {
    if (world.stopping.aborted) return
    try {
      const now = await payeeTime(world, payout.owner)
      if ((payout.retry_at ?? addSeconds(payout.created_at, patience)) <= now)
        await askAndSettle(world, payout)
    } catch (error) {
      world.log.error({ error, payout_id: payout.id }, 'a payout could not be settled yet')
    }
  }
}

/**
 * A payout ended, as the processor tells. Told twice, the second changes nothing; `later` where the
 * payee's own clock is not there yet.
 */
export async function settlePayout(
  world: World,
  event: Extract<ProcessorEvent, { kind: 'payout_settled' }>,
): Promise<'done' | 'later'> {
  const payout = await payoutOf(world, event.payout_id)
  if (!payout) {
    // Its name may stand in an answer that was lost once more.
    if ((await payouts.openPayouts(world.db)).length > 0) return 'later'
    world.log.warn({ event_id: event.id }, 'an event tells of a payout that is not ours')
    return 'done'
  }
  if (event.at > (await payeeTime(world, payout.owner))) return 'later'
  const { outcome: status, reason, payout_id } = event
  const failure = reason === undefined ? {} : { reason }
  await endPayout(world, payout, { status, payout_id, ...failure })
  return 'done'
}

/** The payout of an event; where its answer was lost, the processor is asked for its name first. */
async function payoutOf(world: World, name: string): Promise<payouts.Payout | undefined> {
  const known = await payouts.payoutOfProcessor(world.db, name)
  if (known) return known
  await reconcilePayouts(world, { patience: 0 })
  return await payouts.payoutOfProcessor(world.db, name)
}
