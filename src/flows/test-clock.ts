import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import type { DisputeReason } from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { audit } from '#platform/audit'
import { isoSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, ProcessorId, UserId } from '#platform/ids'

/** What a processor in test mode can simulate, in addition to its port. */
export interface TestProcessor {
  /** Enters a test card on a page that waits for one; its fingerprint was never used before. */
  enterCard(now: Date, entered: { entry_id: ProcessorId; number: string }): Promise<void>
  /** Disputes what is left of a charge as its buyer; undefined if nothing is left. */
  disputeCharge(
    now: Date,
    disputed: { charge_id: ProcessorId; reason: DisputeReason },
  ): Promise<{ dispute_id: ProcessorId } | undefined>
  /** Decides a dispute as the bank, now. */
  decideDispute(
    now: Date,
    decided: { dispute_id: ProcessorId; outcome: 'won' | 'lost' },
  ): Promise<void>
  /** When it next sends an event about these charges, refunds and payouts. */
  nextEventAt(after: Date, ids: string[]): Promise<Date | undefined>
}

/** The work that becomes due as time passes, apart from subscriptions. */
export interface ClockWork {
  /** Processes what is due at the app's time, and returns the number of items. */
  runDue(): Promise<number>
  /** The next due time outside the subscriptions: a dispute's end, a payout. */
  nextOtherDue(after: Date): Promise<Date | undefined>
  /** Waits a moment for a late answer, or for another worker. */
  wait(): Promise<void>
  /** Waits until this process wrote the queued emails; false if it writes none, or takes long. */
  writeEmails(): Promise<boolean>
}

/** An advance of an app's test clock. */
export interface Advance {
  app_id: AppId
  to: Date
  user_id: UserId
  request_id: string
}

/** How far an advance has come. */
export type ReportAdvance = (progress: { at: Date; done_count: number }) => Promise<void>

/** The outcome of an advance. A test clock moves in test mode only, and never back. */
export type AdvanceResult =
  | { outcome: 'there'; done_count: number }
  /** Due work does not finish, as an answer is missing: the clock stops there. */
  | { outcome: 'stuck'; done_count: number }
  | { outcome: 'refused' }

// A fault on the way to the processor is reported, not waited for.
const MAX_WAITS = 30

/**
 * Advances an app's test clock and processes everything that is due on the way, in order: the clock
 * stops at each due time, and what is due then happens before anything later. An error that
 * `report` throws ends the advance at that point.
 */
export async function advanceClock(
  world: World,
  requested: Advance,
  work: ClockWork,
  report: ReportAdvance = async () => {},
): Promise<AdvanceResult> {
  const { db, clock, processor } = world
  if (!processor.has_test_clock) return { outcome: 'refused' }
  const { app_id, to, user_id, request_id } = requested
  const appNow = async () => appTime(world, await apps.get(db, app_id))
  const start = await appNow()
  if (to < start) return { outcome: 'refused' }
  const detail = { from: isoSeconds(start), to: isoSeconds(to) }
  const action = 'app.clock_advanced'
  const { seller_id } = await apps.get(db, app_id)
  const actor = { kind: 'seller', user_id, seller_id, request_id } as const
  await audit(db, clock.now(), { actor, action, subject: app_id, detail })
  // An email says what is true when it is written: before the clock moves on.
  let isWritten = true
  const processDue = async () => {
    const count = await runAllDue(work)
    if (isWritten) isWritten = await work.writeEmails()
    return count
  }
  // What is due already, such as a dispute of what was just paid, decides what comes later.
  let done_count = await processDue()
  let waits = 0
  for (;;) {
    const due = await nextDueTime(world, app_id, work, await appNow())
    if (!due || due > to) break
    await moveClock(world, app_id, due)
    const count = await processDue()
    done_count += count
    await report({ at: due, done_count })
    if (count > 0) waits = 0
    else if (!(await isStillDue(world, app_id, due))) continue
    // Another worker is processing it, or an answer is late. The clock must not advance past it.
    else if (++waits > MAX_WAITS) return { outcome: 'stuck', done_count }
    else await work.wait()
  }
  await moveClock(world, app_id, to)
  done_count += await processDue()
  return { outcome: 'there', done_count }
}

async function runAllDue(work: ClockWork): Promise<number> {
  let done_count = 0
  for (let count = await work.runDue(); count > 0; count = await work.runDue()) done_count += count
  return done_count
}

/** The next time at which something is due; what is overdue is due now. */
async function nextDueTime(
  { db }: World,
  app_id: AppId,
  work: ClockWork,
  at: Date,
): Promise<Date | undefined> {
  const other = await work.nextOtherDue(at)
  const dues = [...(await duesOf(db, app_id)), ...(other ? [other] : [])]
  if (dues.length === 0) return undefined
  const first = new Date(Math.min(...dues.map((due) => due.getTime())))
  return first < at ? at : first
}

async function isStillDue({ db }: World, app_id: AppId, at: Date): Promise<boolean> {
  return (await duesOf(db, app_id)).some((due) => due <= at)
}

/** When each kind of an app's periodic work is next due, without the kinds that never are. */
async function duesOf(db: Db, app_id: AppId): Promise<Date[]> {
  const dues = [
    await billing.nextDueAt(db, app_id),
    await licensing.nextUnchargedEnd(db, app_id),
    await licensing.nextReminder(db, app_id),
  ]
  return dues.filter((due) => due !== undefined)
}

async function moveClock({ db, clock }: World, app_id: AppId, to: Date): Promise<void> {
  const seconds = Math.max(0, Math.ceil((to.getTime() - clock.now().getTime()) / 1000))
  await apps.setClockAhead(db, app_id, seconds)
}
