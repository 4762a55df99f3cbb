import { sumReferred } from '#domain/affiliates'
import { sumMetrics } from '#domain/metrics'
import { sumBalances } from '#domain/payouts'
import { sumTaxes } from '#domain/tax'
import { deleteCopies } from '#flows/account'
import { checkNightly, reviewRestored } from '#flows/check-books'
import { closeDays } from '#flows/close-days'
import { payWeekly, reconcilePayouts } from '#flows/pay-out'
import * as payment from '#flows/payment'
import { recordClicks } from '#flows/record-clicks'
import { recordTaxes } from '#flows/record-taxes'
import { recordUses } from '#flows/record-uses'
import { reconcileRefunds } from '#flows/refund'
import { applyRetention } from '#flows/retention'
import * as subscription from '#flows/subscription'
import { followLive } from '#flows/test-mode'
import { forReports, type World } from '#flows/world'
import { addDays, isoDate } from '#platform/calendar'
import { handleEvents } from '#surfaces/processor-events/worker'

const RECONCILE_SECONDS = 2
const RENEW_SECONDS = 10
const SUM_SECONDS = 10
const SUMMED_AT_ONCE = 1000
const RECORDED_DAYS = 2
const RECORDED_LATE_DAYS = 60
const SUMS = {
  'sum taxes': sumTaxes,
  'sum balances': sumBalances,
  'sum metrics': sumMetrics,
  'sum referred figures': sumReferred,
}
const RECORD_SECONDS = 5
const FOLLOW_SECONDS = 60
const EVERY_MINUTE = '* * * * *'
const EVERY_TEN_MINUTES = '*/10 * * * *'
const DAILY = '20 3 * * *'
const NIGHTLY = '50 3 * * *'

/** What every process asks every few seconds; concurrent processes claim different work. */
export function declarePolls(world: World): void {
  const { db, jobs, stopping, live } = world
  const each = { in_each_process: true }
  jobs.poll('reconcile payments', RECONCILE_SECONDS, () => payment.reconcileLost(world))
  jobs.poll('reconcile challenges', RECONCILE_SECONDS, () => payment.reconcileChallenges(world))
  jobs.poll('reconcile refunds', RECONCILE_SECONDS, () => reconcileRefunds(world))
  jobs.poll('receive processor events', RECONCILE_SECONDS, async () => {
    await handleEvents(world)
  })
  jobs.poll('record uses', RECORD_SECONDS, () => recordUses(world), each)
  jobs.poll('record clicks', RECORD_SECONDS, () => recordClicks(world), each)
  jobs.poll('reconcile payouts', RECONCILE_SECONDS, () => reconcilePayouts(world))
  for (const [name, sum] of Object.entries(SUMS)) {
    jobs.poll(name, SUM_SECONDS, async () => {
      // Fewer than the limit are all there were; what was written since is the next poll's.
      while (!stopping.aborted && (await sum(db, SUMMED_AT_ONCE)) === SUMMED_AT_ONCE);
    })
  }
  jobs.poll('renew subscriptions', RENEW_SECONDS, async () => {
    const at_once = world.processor.renewals_at_once
    while ((await subscription.renewDue(world, { at_once })) > 0);
  })
  if (live) jobs.poll('follow live mode', FOLLOW_SECONDS, () => followLive(world, live))
}

/** What the service does by the clock, once and not in each process. Surfaces declare more. */
export function declareSchedules(world: World): void {
  const { jobs, live } = world
  jobs.schedule('weekly-payouts', EVERY_MINUTE, async () => {
    await payWeekly(world)
  })
  jobs.schedule('record-taxes', EVERY_MINUTE, recentTaxes(world))
  jobs.schedule('close-days', EVERY_TEN_MINUTES, async () => {
    await closeDays(world)
  })
  jobs.schedule('review-restored', EVERY_MINUTE, async () => {
    await reviewRestored(world)
  })
  jobs.schedule('retention', DAILY, () => applyRetention(forReports(world)))
  jobs.schedule('check-ledger', NIGHTLY, () => checkNightly(world))
  if (live) jobs.schedule('delete-copies', EVERY_TEN_MINUTES, () => deleteCopies(world, live))
}

/** Records recent taxes, and once a day those that the tax service did not accept for days. */
function recentTaxes(world: World): () => Promise<void> {
  let complete_on: string | undefined
  return async () => {
    const now = world.clock.now()
    const days = complete_on === isoDate(now) ? RECORDED_DAYS : RECORDED_LATE_DAYS
    const count = await recordTaxes(forReports(world), addDays(now, -days))
    if (count === 0) complete_on = isoDate(now)
  }
}
