import * as payouts from '#domain/payouts'
import { payWeekly, reconcilePayouts } from '#flows/pay-out'
import { reconcile } from '#flows/payment'
import { reconcileRefunds } from '#flows/refund'
import { renewDue } from '#flows/subscription'
import { addSeconds } from '#platform/calendar'
import { cents, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { moveFunds } from '../../src/sandbox/balance.ts'
import { untilKilled } from '../support/killable-database.ts'
import type { Fixture } from './fixture.ts'
import { isExpected } from './harness.ts'
import type { SeededRandom } from './random.ts'

/** The background jobs, each run whenever it is called. */
const WORK = [
  ({ world }: Fixture) => reconcile(world),
  ({ world }: Fixture) => reconcileRefunds(world),
  ({ world }: Fixture) => handleEvents(world),
  ({ world }: Fixture) => reconcilePayouts(world),
  ({ world }: Fixture) => payWeekly(world),
  async ({ world }: Fixture) => {
    let rounds = 0
    while ((await renewDue(world)) > 0) {
      if (++rounds > 100) throw new Error('there is no end to what is due')
    }
  },
]

/** One round of all periodic jobs; what a lost call interrupts is left to the next round. */
export async function workOnce(fixture: Fixture): Promise<void> {
  for (const work of WORK) {
    try {
      await work(fixture)
    } catch (error) {
      if (!isExpected(error)) throw error
    }
  }
}

/** The same by two workers at once, as with two processes on one database. */
async function workTwice(fixture: Fixture): Promise<void> {
  await Promise.all([workOnce(fixture), workOnce(fixture)])
}

const HOUR = 3600
const MAX_ROUNDS = 25

/**
 * Lets seconds pass. The service works whenever something is due, unless it is down for the whole
 * time; sometimes its process crashes, and another continues.
 */
export async function pass(fixture: Fixture, rng: SeededRandom, seconds: number): Promise<string> {
  const { clock } = fixture.harness
  const end = addSeconds(clock.now(), seconds)
  const isDown = rng.odds(15)
  // The delay before due work is done: none, or hours.
  const lag = rng.pick([1, 6 * HOUR, 24 * HOUR])
  let deaths = 0
  for (let round = 0; clock.now() < end; round++) {
    const next = isDown || round > MAX_ROUNDS ? end : await nextDue(fixture, end, lag)
    const at = next < end ? next : end
    // Another person may have advanced the clock further; it never goes back.
    if (at > clock.now()) clock.reset(at)
    if (rng.odds(4)) {
      await untilKilled(rng.between(1, 60), () => workOnce(fixture))
      clock.pass(rng.between(1, 10))
      deaths++
    }
    await (rng.odds(12) ? workTwice(fixture) : workOnce(fixture))
  }
  return `${isDown ? 'the service was down' : 'the service worked'}, ${deaths} deaths`
}

/** When the service has work again; while an answer is pending, half a minute later. */
async function nextDue({ harness, world }: Fixture, end: Date, lag: number): Promise<Date> {
  const now = world.clock.now()
  const soon = addSeconds(now, lag)
  const { at } = await harness.db.one<{ at: Date }>(sql`select least(
    (select min(next_at) from subscriptions where next_at > ${now}),
    (select min(claimed_until) from subscriptions
      where next_at <= ${now} and claimed_until > ${now}),
    (select min(due_at) from sandbox.events where not acknowledged and due_at > ${now}),
    (select ${addSeconds(now, 30)}::timestamptz where exists (select 1 from attempts
        where status in ('open', 'action_required'))
      or exists (select 1 from refunds where status = 'open')
      or exists (select 1 from payouts where status = 'open')
      or exists (select 1 from sandbox.events where not acknowledged and due_at <= ${now})),
    (select date_trunc('week', ${now}::timestamptz at time zone 'UTC') at time zone 'UTC'
        + interval '7 days' where exists (select 1 from payout_accounts)),
    ${end}::timestamptz) as at`)
  return at < soon ? soon : at
}

// Fifteen minutes end what is unanswered, five minutes a worker's claim.
const REST = [5, 30, 1800, 1800, 30]
const MAX_FUNDINGS = 10

/** A network without faults, with enough time for everything pending to end. */
export async function rest(fixture: Fixture): Promise<void> {
  const { network, clock } = fixture.harness
  network.loss_percent = 0
  for (const seconds of REST) {
    clock.pass(seconds)
    await workOnce(fixture)
  }
  // The balance is too small for a payout: staff add to it each time that the alarm says so. The
  // fee of the payout that is then made may leave too little for the next one.
  for (let times = 0; times < MAX_FUNDINGS; times++) {
    const { amount } = await payouts.waitingForFunds(fixture.harness.db)
    if (amount === ZERO) return
    const { available } = await fixture.harness.sandbox.readBalance(clock.now())
    const missing = cents(amount - available)
    await moveFunds(fixture.harness.db, fixture.world.random, clock.now(), missing)
    clock.pass(HOUR)
    await workOnce(fixture)
  }
}
