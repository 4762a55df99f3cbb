import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { askProcessor } from './ask.ts'

// Whoever asked for it has had his answer by then, or died over it.
const ASK_AFTER_SECONDS = 3

/**
 * Asks again for every refund whose answer is not known, under the same key; run at the start and
 * every few seconds. What a rule gives back, such as a payment that came too late, is asked here.
 */
export async function reconcileRefunds(world: World): Promise<void> {
  for (const refund of await payments.openRefunds(world.db)) {
    if (world.stopping.aborted) return
    // An app's own clock may be ahead: what counts is how long it waits by that.
    const { app } = await payments.chargeWithClock(world.db, refund.charge_id)
    const now = addSeconds(world.clock.now(), app.clock_ahead)
    const isFresh = addSeconds(refund.created_at, ASK_AFTER_SECONDS) > now
    if (isFresh && refund.requested_by !== 'system') continue
    try {
      await askProcessor(world, refund)
    } catch (error) {
      world.log.error({ error, refund_id: refund.id }, 'a refund could not be settled yet')
    }
  }
}
