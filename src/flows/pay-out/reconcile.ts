import * as ledger from '#domain/ledger'
import type { ProcessorEvent } from '#domain/payments'
import * as payouts from '#domain/payouts'
import { payeeTime, type World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { readId } from '#platform/ids'
import { eachInPages } from '#platform/read-in-pages'
import { recordStatus, requestAndSettle } from './settle.ts'

// An answer that is older than this was lost, not late.
const RECONCILE_AFTER_SECONDS = 3

/**
 * Retries every payout whose answer was lost, or that was postponed; run at startup and every few
 * seconds. Of the latter no bank was paid, so those of a payee whose payouts are paused wait. Each
 * is requested once in a run, so that those that fail keep none of the others waiting.
 */
export async function reconcilePayouts(world: World): Promise<void> {
  const open = eachInPages<payouts.Payout, payouts.Payout>(
    (page) => payouts.openPayouts(world.db, page),
    (last) => last,
  )
  for await (const payout of open) {
    if (world.stopping.aborted) return
    await reconcilePayout(world, payout)
  }
}

async function reconcilePayout(world: World, payout: payouts.Payout): Promise<void> {
  try {
    if (await startRetry(world, payout)) await requestAndSettle(world, payout)
  } catch (error) {
    world.log.error({ error, payout_id: payout.id }, 'payout not settled; will retry')
  }
}

/**
 * Records that an open payout is requested again. False if that is not due, or if it was postponed
 * and staff have paused the payee's payouts: both may have changed since the payout was read.
 */
async function startRetry(world: World, { id, owner }: payouts.Payout): Promise<boolean> {
  const now = await payeeTime(world, owner)
  return await world.db.tx(async (tx) => {
    await ledger.lockOwner(tx, owner)
    const { status, created_at, retry_at } = await payouts.lockPayout(tx, id)
    if (status !== 'open') return false
    if ((retry_at ?? addSeconds(created_at, RECONCILE_AFTER_SECONDS)) > now) return false
    // The answer to its request was lost, so it may have been paid.
    if (!retry_at) return true
    if (await payouts.arePaused(tx, owner)) return false
    const account = (await payouts.findAccount(tx, owner))!
    await payouts.recordRetry(tx, { id, ...payouts.destinationOf(account) })
    return true
  })
}

/**
 * Handles the processor's event that a payout ended. A repeated event changes nothing; `later`
 * while the payee's test clock has not reached it, or while the answer to its request is unknown.
 */
export async function settlePayout(
  world: World,
  event: Extract<ProcessorEvent, { kind: 'payout_settled' }>,
): Promise<'done' | 'later'> {
  const id = readId('po', event.key)
  const payout = id && (await payouts.findPayout(world.db, id))
  if (!payout) {
    world.log.warn({ event_id: event.id }, 'unknown payout in a processor event')
    return 'done'
  }
  if (event.at > (await payeeTime(world, payout.owner))) return 'later'
  if (payout.status === 'open') {
    // The event arrived before the answer, or in place of it.
    const { outcome } = await requestAndSettle(world, payout)
    if (outcome === 'processing' || outcome === 'waiting') return 'later'
  }
  const { outcome: status, reason, payout_id, is_canceled } = event
  await recordStatus(world, payout, { status, payout_id, reason, is_canceled })
  return 'done'
}
