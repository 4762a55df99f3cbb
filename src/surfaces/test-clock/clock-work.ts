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

/** The world outside as the test clock needs it: what can be made to happen, and what is heard. */
export interface Outside {
  processor: TestProcessor
  /** Hears what the processor tells by itself; returns how much that was. */
  hear(): Promise<number>
}

const WAIT_MS = 200

/**
 * What happens to an app when its time passes: banks decide, bills are charged, sellers paid.
 * `pause` is how long an answer that is late is waited for, before it is asked for again.
 */
export function clockWorkOf(
  world: World,
  outside: Outside,
  app_id: string,
  pause: () => unknown = () => sleep(WAIT_MS),
): ClockWork {
  return {
    async runDue() {
      await others()
      const heard = await outside.hear()
      const renewed = await renewDue(world, { app_id })
      await reconcileRefunds(world)
      return heard + renewed + (await payWeekly(world))
    },
    nextOutside: async (after) => (await nextOutside(world, outside, app_id, after))?.at,
    async wait() {
      await pause()
      await reconcile(world)
      await reconcilePayouts(world)
    },
  }
}

/** Something beside the subscriptions that is due: an answer of a bank, or the weekly payouts. */
export interface OutsideDue {
  at: Date
  what: 'bank' | 'payouts'
}

/** What is due next beside the subscriptions of an app. */
export async function nextOutside(
  { db }: World,
  { processor }: Outside,
  app_id: string,
  after: Date,
): Promise<OutsideDue | undefined> {
  const { is_weekly, under_way } = await payouts.payoutsAround(db, app_id)
  const pending = [...(await payments.pendingOf(db, app_id)), ...under_way]
  const told = pending.length > 0 ? await processor.nextEventAt(after, pending) : undefined
  const monday = is_weekly ? addDays(payouts.mondayOf(after), 7) : undefined
  if (told && !(monday && monday < told)) return { at: told, what: 'bank' }
  return monday && { at: monday, what: 'payouts' }
}
