import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { eachInPages } from '#platform/read-in-pages'
import { requestRefund } from './request.ts'

// By then the request that began it has ended, with an answer or in a crash.
const RECONCILE_AFTER_SECONDS = 3

/**
 * Retries every refund whose answer is not known, under the same key; run at startup and every few
 * seconds. Refunds that a rule made, such as of a late payment, are first sent here. Each is asked
 * for once in a run, so that those that fail keep none of the others waiting.
 */
export async function reconcileRefunds(world: World): Promise<void> {
  const open = eachInPages<payments.Refund, payments.Refund>(
    (page) => payments.openRefunds(world.db, page),
    (last) => last,
  )
  for await (const refund of open) {
    if (world.stopping.aborted) return
    await reconcileRefund(world, refund)
  }
}

async function reconcileRefund(world: World, refund: payments.Refund): Promise<void> {
  // An app's test clock may be ahead: the age is measured by that clock.
  const { app } = await payments.chargeWithClock(world.db, refund.charge_id)
  const now = addSeconds(world.clock.now(), app.clock_ahead)
  const isFresh = addSeconds(refund.created_at, RECONCILE_AFTER_SECONDS) > now
  if (isFresh && refund.requested_by !== 'system') return
  try {
    await requestRefund(world, refund)
  } catch (error) {
    world.log.error({ error, refund_id: refund.id }, 'refund not settled; will retry')
  }
}
