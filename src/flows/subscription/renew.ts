import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { chargeAttempt } from '#flows/payment'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import type { AppId, SubscriptionId } from '#platform/ids'
import { restoredAt } from '#platform/installation'
import { type Claimed, findClaimed, lockClaimed } from './claimed.ts'
import { claimDue } from './claims.ts'
import { endComps, remindImported } from './comps.ts'
import { advanceDunning, endSubscription, notify } from './dunning.ts'
import { type Due, type Intended, intendDue } from './invoice.ts'
import { isStillDue, nextDue } from './next-due.ts'

const BATCH = 20
/** A renewal spends most of its time waiting for the processor and the database. */
export const RENEWED_AT_ONCE = 4

/** Which subscriptions to process: all, or one app's. */
export interface Round {
  app_id?: AppId
  /** The most subscriptions to claim. */
  limit?: number
  /** How many to process concurrently. */
  at_once?: number
}

/**
 * Processes what is due: renewals, retries, ends (of comps too), pauses, reminders. Any number of
 * workers may call it concurrently; each claims others. It extends its claims between two
 * subscriptions, and releases them when the service is stopping. Returns the number processed.
 */
export async function renewDue(
  world: World,
  { app_id, limit = BATCH, at_once = 1 }: Round = {},
): Promise<number> {
  const { db, log, stopping } = world
  if (stopping.aborted) return 0
  // What was charged after the backup would be charged again. Test clocks have no such charges.
  if (app_id === undefined && (await restoredAt(db))) return 0
  const reminded = await remindImported(world, { app_id, limit })
  const ended = await endComps(world, { app_id, limit })
  const claims = await claimDue(world, { app_id, limit })
  let done = reminded + ended
  const takeEach = async () => {
    for (;;) {
      const id = stopping.aborted ? undefined : await claims.next()
      if (id === undefined) return
      try {
        await take(world, id)
      } catch (error) {
        log.error({ error, subscription_id: id }, 'subscription not processed; will retry')
      }
      done++
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: at_once }, takeEach))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  await claims.release()
  return done
}

async function take(world: World, id: SubscriptionId): Promise<void> {
  const charged = await findClaimed(world, id)
  if (!isCharge(charged)) {
    await world.db.tx(async (tx) => {
      const claimed = await lockClaimed(world, tx, id)
      // It changed since it was read, so it is processed again.
      if (isCharge(claimed)) await billing.release(tx, id)
      else await processOther(world, tx, claimed)
    })
    return
  }
  const due = charged.open ? undefined : await nextDue(world, charged)
  const intended = await world.db.tx((tx) => record(world, tx, charged, due))
  if (intended?.outcome !== 'intended') return
  const { app, subscription } = charged
  const return_url = `${world.config.base_url}/manage/${app.id}/`
  const owner = { kind: 'renewal', subscription_id: subscription.id } as const
  const known = due ? { owner, quote: due.quote } : { owner }
  await chargeAttempt(world, intended.attempt, { app, return_url, known })
}

function isCharge({ step }: Claimed): boolean {
  return step === 'renew' || step === 'retry'
}

/** Processes what is due without a charge. */
async function processOther(world: World, tx: Db, { subscription, license, now, step }: Claimed) {
  const { license_id } = license
  if (step === 'remind') {
    const { period_end } = subscription
    const kind = license.status === 'trialing' ? 'trial_ending' : 'renewal_reminder'
    await notify(world, tx, now, kind, subscription, `${period_end.getTime()}`)
    await billing.changeSubscription(tx, subscription, { next_at: period_end })
  } else if (step === 'end') {
    await endSubscription(tx, now, subscription, 'period_ended')
  } else if (step === 'pause') {
    const pause = { trigger: 'buyer_paused', to: 'paused', paused_for: 'buyer' } as const
    await licensing.transition(tx, now, { license_id, ...pause })
    await billing.changeSubscription(tx, subscription, { next_at: null, pause_at_end: false })
  } else if (step === 'skip_retry') {
    await advanceDunning(world, tx, now, subscription, subscription.last_decline)
  } else {
    await reschedule(tx, now, subscription, license)
  }
}

/** Nothing is due: sets the time at which something will be. */
async function reschedule(
  tx: Db,
  now: Date,
  subscription: billing.RunningSubscription,
  license: licensing.License,
): Promise<void> {
  const { next_at } = subscription
  const { status } = license
  if (next_at !== null && next_at > now) {
    await billing.release(tx, subscription.id)
    return
  }
  const isRunning = status === 'active' || status === 'trialing'
  const due = isRunning ? billing.reminderOrEnd(now, status, subscription) : null
  await billing.changeSubscription(tx, subscription, { next_at: due })
}

/** Records the invoice and the attempt, unless the subscription changed since it was read. */
async function record(
  world: World,
  tx: Db,
  before: Claimed,
  due: Due | undefined,
): Promise<Intended | undefined> {
  const claimed = await lockClaimed(world, tx, before.subscription.id)
  const { subscription, license, app, email_normalized, open, now, step } = claimed
  const isSame = step === before.step
  if (!isSame || !(await isStillDue(tx, before.subscription, { subscription, due }))) {
    await billing.release(tx, subscription.id)
    return undefined
  }
  // While another attempt is pending, the claim expires and this runs again: that attempt may be an
  // upgrade's, after which another invoice is due.
  const of = { subscription, license, app, email_normalized }
  return await intendDue(world, tx, now, { ...of, open, due, requested_by: 'schedule' })
}
