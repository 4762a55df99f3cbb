import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { type Answered, chargeAttempt, settleAll } from '#flows/payment'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { groupCalls } from '#platform/group-calls'
import type { AppId, SubscriptionId } from '#platform/ids'
import { restoredAt } from '#platform/installation'
import { type PreparedChange, writeAll } from '#platform/write-together'
import { type Claimed, findClaimed, lockClaimed } from './claimed.ts'
import { claimDue } from './claims.ts'
import { advanceDunning, endSubscription, notify } from './dunning.ts'
import { type Basis, basesOf, type Due, type OpenedPayment, prepareOpening } from './invoice.ts'
import { isStillDue, quoteNextPeriod } from './next-due.ts'
import { endUncharged, remindImported } from './uncharged.ts'

const BATCH = 512

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
  const ended = await endUncharged(world, { app_id, limit })
  const claims = await claimDue(world, { app_id, limit })
  const steps = groupedSteps(world)
  let done = reminded + ended
  const processClaims = async () => {
    for (;;) {
      const id = stopping.aborted ? undefined : await claims.next()
      if (id === undefined) return
      try {
        await processSubscription(world, id, steps)
      } catch (error) {
        log.error({ error, subscription_id: id }, 'subscription not processed; will retry')
      }
      done++
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: at_once }, processClaims))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  await claims.release()
  return done
}

/**
 * The steps of renewals that are processed at the same time: those that reach a step while others
 * take it share its statements and its transaction.
 */
function groupedSteps(world: World) {
  return {
    find: groupCalls((ids: readonly SubscriptionId[]) => findClaimed(world, ids)),
    record: groupCalls((renewals: readonly Renewal[]) =>
      world.db.tx((tx) => recordAll(world, tx, renewals), { generic_plans: true }),
    ),
    settle: groupCalls((answered: readonly Answered[]) => settleAll(world, answered)),
  }
}

type Steps = ReturnType<typeof groupedSteps>

/** A subscription to charge as it was read, and what is due unless an invoice is open. */
interface Renewal {
  before: Claimed
  due: Due | undefined
}

async function processSubscription(world: World, id: SubscriptionId, steps: Steps): Promise<void> {
  const before = await steps.find(id)
  if (!isCharge(before)) {
    await world.db.tx(async (tx) => {
      const [claimed] = await lockClaimed(world, tx, [id])
      // It changed since it was read, so it is processed again.
      if (isCharge(claimed!)) await billing.release(tx, id)
      else await processOther(world, tx, claimed!)
    })
    return
  }
  const due = before.open ? undefined : await quoteNextPeriod(world, before)
  const payment = await steps.record({ before, due })
  if (payment?.outcome !== 'opened') return
  const { attempt } = payment
  const { app } = before
  const return_url = `${world.config.base_url}/manage/${app.id}/`
  const owner = { kind: 'renewal', subscription_id: id } as const
  const known = due ? { owner, quote: due.quote } : { owner }
  await chargeAttempt(world, { attempt, app, return_url, known }, steps.settle)
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
  const due = licensing.isRunning(status) ? billing.reminderOrEnd(now, status, subscription) : null
  await billing.changeSubscription(tx, subscription, { next_at: due })
}

/**
 * Records invoices and attempts. Undefined for a subscription that changed since it was read: its
 * claim is released.
 */
async function recordAll(
  world: World,
  tx: Db,
  renewals: readonly Renewal[],
): Promise<(OpenedPayment | undefined)[]> {
  const ids = renewals.map(({ before }) => before.subscription.id)
  const locked = await lockClaimed(world, tx, ids)
  const bases = await basesOf(tx, ids)
  const changes: PreparedChange<OpenedPayment | undefined>[] = []
  for (const [index, renewal] of renewals.entries()) {
    const claimed = { ...locked[index]!, basis: bases[index]! }
    changes.push(await prepareRenewal(world, tx, renewal, claimed))
  }
  return await writeAll(tx, changes)
}

async function prepareRenewal(
  world: World,
  tx: Db,
  { before, due }: Renewal,
  claimed: Claimed & { basis: Basis },
): Promise<PreparedChange<OpenedPayment | undefined>> {
  const { subscription, step, now } = claimed
  const isSame = step === before.step
  if (!isSame || !(await isStillDue(tx, before.subscription, { subscription, due }))) {
    return { write: (writes) => billing.release(writes, subscription.id), async finish() {} }
  }
  // While another attempt is pending, the claim expires and this runs again: that attempt may be an
  // upgrade's, after which another invoice is due.
  return await prepareOpening(world, tx, now, { ...claimed, due, requested_by: 'schedule' })
}
