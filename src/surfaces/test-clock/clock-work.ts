import { setImmediate as others, setTimeout as sleep } from 'node:timers/promises'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import { payWeekly, reconcilePayouts } from '#flows/pay-out'
import { reconcile } from '#flows/payment'
import { reconcileRefunds } from '#flows/refund'
import { renewDue } from '#flows/subscription'
import type { ClockWork, TestProcessor } from '#flows/test-clock'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import { isAnyUntried } from '#platform/email-queue'
import type { AppId } from '#platform/ids'

/** What the test clock needs from outside the app: the test processor and its events. */
export interface TestMode {
  processor: TestProcessor
  /** Handles pending processor events and returns how many there were. */
  handleEvents(): Promise<number>
}

const WAIT_MS = 200
const EMAIL_WAIT_MS = 20
/** Three seconds: an advance does not wait for a mail server that is slow. */
const MAX_EMAIL_WAITS = 150
/** How long a bank may return a refund that succeeded. */
const REFUND_MAY_FAIL_DAYS = 30

/**
 * Everything that happens as an app's time passes: banks decide, invoices are charged, sellers are
 * paid. `pause` waits before a late answer is requested again.
 */
export function clockWorkOf(
  world: World,
  test_mode: TestMode,
  app_id: AppId,
  pause: () => unknown = () => sleep(WAIT_MS),
): ClockWork {
  return {
    async runDue() {
      await others()
      const handled = await test_mode.handleEvents()
      const renewed = await renewDue(world, { app_id })
      await reconcileRefunds(world)
      return handled + renewed + (await payWeekly(world))
    },
    nextOtherDue: async (after) => (await nextOtherDue(world, test_mode, app_id, after))?.at,
    async wait() {
      await pause()
      await reconcile(world)
      await reconcilePayouts(world)
    },
    async writeEmails() {
      if (!world.jobs.isWorking()) return false
      for (let waits = 0; waits < MAX_EMAIL_WAITS; waits++) {
        if (!(await isAnyUntried(world.db))) return true
        await sleep(EMAIL_WAIT_MS)
      }
      return false
    },
  }
}

/** A due event that is not about a subscription: a bank's decision, or the weekly payouts. */
export interface OtherDue {
  at: Date
  what: 'bank' | 'payouts'
}

/** The next due event of an app that is not about a subscription. */
export async function nextOtherDue(
  { db }: World,
  { processor }: TestMode,
  app_id: AppId,
  after: Date,
): Promise<OtherDue | undefined> {
  const { is_weekly, pending: sent } = await payouts.payoutsOfApp(db, app_id)
  const since = addDays(after, -REFUND_MAY_FAIL_DAYS)
  const charges = await payments.chargesWithPendingEvents(db, app_id, since)
  const pending = [...charges, ...sent]
  const other = pending.length > 0 ? await processor.nextEventAt(after, pending) : undefined
  const monday = is_weekly ? addDays(payouts.mondayOf(after), 7) : undefined
  if (other && !(monday && monday < other)) return { at: other, what: 'bank' }
  return monday && { at: monday, what: 'payouts' }
}
