import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type { DisputeReason } from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { audit } from '#platform/audit'
import { isoSeconds } from '#platform/calendar'

/** What a processor of test mode lets happen by a click, beside what its port offers. */
export interface TestProcessor {
  /** Enters a test card on a page that waits for one; nobody else has used the like before. */
  enterCard(now: Date, entered: { entry_id: string; number: string }): Promise<void>
  /** Lets the buyer dispute what is left of a charge; undefined where nothing is. */
  disputeCharge(
    now: Date,
    disputed: { charge_id: string; reason: DisputeReason },
  ): Promise<{ dispute_id: string } | undefined>
  /** Lets the bank decide now. */
  decideDispute(now: Date, decided: { dispute_id: string; outcome: 'won' | 'lost' }): Promise<void>
  /** When it tells something by itself next of these charges, refunds and payouts. */
  nextEventAt(after: Date, ids: string[]): Promise<Date | undefined>
}

/** What happens by itself when time passes, beside what the tables of this flow tell. */
export interface ClockWork {
  /** Does what is due at the app's time; returns how much that was. */
  runDue(): Promise<number>
  /** When something beside the subscriptions is due next: a dispute's end, a payout. */
  nextOutside(after: Date): Promise<Date | undefined>
  /** Waits a moment for an answer that is late, or for another worker. */
  wait(): Promise<void>
}

/** A jump of an app's own clock. */
export interface Jump {
  app_id: string
  to: Date
  user_id: string
  request_id: string
}

/** How far a jump has come. */
export type ReportJump = (progress: { at: Date; done_count: number }) => Promise<void>

/** How a jump ended. The clock of an app moves only where no real money does, and never back. */
export type Jumped =
  | { outcome: 'there'; done_count: number }
  /** Something that is due does not happen, as nobody answers: the clock stands there. */
  | { outcome: 'stuck'; done_count: number }
  | { outcome: 'refused' }

// A fault on the way to the processor is not waited out: it is told.
const MOST_WAITS = 30

/**
 * Moves an app's own clock, however far, and plays everything that is due on the way in its order:
 * the clock stops at each due moment, and what is due there happens before anything later. What
 * `tell` throws ends the jump where it is.
 */
export async function jump(
  world: World,
  asked: Jump,
  work: ClockWork,
  report: ReportJump = async () => {},
): Promise<Jumped> {
  const { db, clock, processor } = world
  if (processor.name !== 'sandbox') return { outcome: 'refused' }
  const { app_id, to, user_id, request_id } = asked
  const nowThere = async () => appTime(world, (await apps.find(db, app_id))!)
  const start = await nowThere()
  if (to < start) return { outcome: 'refused' }
  const detail = { from: isoSeconds(start), to: isoSeconds(to) }
  const action = 'app.clock_jumped'
  const actor = { kind: 'seller', user_id, request_id } as const
  await audit(db, clock.now(), { actor, action, subject: app_id, detail })
  // What is due already, such as a dispute of what was just paid, decides what comes later.
  let done_count = await runAllDue(work)
  let waits = 0
  for (;;) {
    const due = await earliest(world, app_id, work, await nowThere())
    if (!due || due > to) break
    await moveClock(world, app_id, due)
    const count = await runAllDue(work)
    done_count += count
    await report({ at: due, done_count })
    if (count > 0) waits = 0
    else if (!(await isStillDue(world, app_id, due))) continue
    // Another worker has it in hand, or an answer is late. Time must not run away from it.
    else if (++waits > MOST_WAITS) return { outcome: 'stuck', done_count }
    else await work.wait()
  }
  await moveClock(world, app_id, to)
  done_count += await runAllDue(work)
  return { outcome: 'there', done_count }
}

async function runAllDue(work: ClockWork): Promise<number> {
  let done_count = 0
  for (let count = await work.runDue(); count > 0; count = await work.runDue()) done_count += count
  return done_count
}

/** The next moment at which something is due; what is overdue is due now. */
async function earliest(
  { db }: World,
  app_id: string,
  work: ClockWork,
  at: Date,
): Promise<Date | undefined> {
  const dues = [await billing.nextDue(db, app_id), await work.nextOutside(at)]
  const known = dues.filter((due) => due !== undefined)
  if (known.length === 0) return undefined
  const first = new Date(Math.min(...known.map((due) => due.getTime())))
  return first < at ? at : first
}

async function isStillDue({ db }: World, app_id: string, at: Date): Promise<boolean> {
  const due = await billing.nextDue(db, app_id)
  return due !== undefined && due <= at
}

async function moveClock({ db, clock }: World, app_id: string, to: Date): Promise<void> {
  const seconds = Math.max(0, Math.ceil((to.getTime() - clock.now().getTime()) / 1000))
  await apps.setClockAhead(db, app_id, seconds)
}
