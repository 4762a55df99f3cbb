import { DisputeClosed, type DisputeReason, type Evidence } from '#domain/payments'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { cents } from '#platform/money'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'
import {
  afterDecision,
  afterEscalation,
  afterEvidence,
  type Course,
  dueAt,
  isClosedInquiry,
  openCourse,
  phaseOf,
} from './dispute.ts'
import * as events from './events.ts'

interface SandboxDispute extends Course {
  id: string
  charge_id: string
  amount: number
  reason: DisputeReason
}

const COLUMNS = sql`id, charge_id, amount, reason, is_inquiry, escalates_at, closes_at, outcome`

/**
 * Opens a dispute of the remaining amount of a charge, whose row is locked. Runs in a transaction.
 */
export async function open(
  tx: Db,
  random: Random,
  now: Date,
  facts: { charge_id: string; amount: number; reason: DisputeReason; is_inquiry: boolean },
): Promise<string> {
  const dispute = { id: mintId(random, 'dp'), ...facts, ...openCourse(now, facts.is_inquiry) }
  await tx.run(sql`insert into sandbox.disputes (${COLUMNS}, opened_at)
    values (${dispute.id}, ${dispute.charge_id}, ${dispute.amount}, ${dispute.reason},
      ${dispute.is_inquiry}, ${dispute.escalates_at}, ${dispute.closes_at}, ${dispute.outcome},
      ${now})`)
  await announceOpening(tx, random, now, dispute)
  await announceCourse(tx, random, dispute, facts.is_inquiry)
  return dispute.id
}

/** The dispute of a charge. */
export async function ofCharge(db: Db, charge_id: string): Promise<SandboxDispute | undefined> {
  return await db.maybe<SandboxDispute>(sql`select ${COLUMNS} from sandbox.disputes
    where charge_id = ${charge_id}`)
}

/** Accepts evidence. Runs in a transaction; throws DisputeClosed if the dispute was decided. */
export async function answer(
  tx: Db,
  random: Random,
  now: Date,
  { dispute_id, evidence }: { dispute_id: string; evidence: Evidence },
): Promise<void> {
  const dispute = await lockOpen(tx, now, dispute_id)
  await tx.run(sql`update sandbox.disputes set evidence = ${JSON.stringify(evidence)}
    where id = ${dispute_id}`)
  await change(tx, random, now, dispute, afterEvidence(dispute, now, evidence.uncategorized_text))
}

/**
 * Decides a dispute as the bank, now. Runs in a transaction; throws DisputeClosed if it was
 * decided.
 */
export async function decide(
  tx: Db,
  random: Random,
  now: Date,
  { dispute_id, outcome }: { dispute_id: string; outcome: 'won' | 'lost' },
): Promise<void> {
  const dispute = await lockOpen(tx, now, dispute_id)
  await change(tx, random, now, dispute, afterDecision(dispute, now, outcome))
}

/**
 * Reverses a closed dispute on appeal; a closed inquiry becomes a dispute. Runs in a transaction.
 */
export async function appeal(tx: Db, random: Random, now: Date, dispute_id: string): Promise<void> {
  const dispute = await tx.one<SandboxDispute>(
    sql`select ${COLUMNS} from sandbox.disputes where id = ${dispute_id} for update`,
  )
  if (phaseOf(dispute, now) !== 'closed') throw new Error('this dispute is not decided yet')
  if (isClosedInquiry(dispute)) {
    return await change(tx, random, now, dispute, afterEscalation(dispute, now))
  }
  const outcome = dispute.outcome === 'won' ? 'lost' : 'won'
  await tx.run(sql`update sandbox.disputes set outcome = ${outcome}, appealed_at = ${now}
    where id = ${dispute_id}`)
  const content = { kind: 'dispute_closed', dispute_id, outcome } as const
  await events.schedule(tx, random, now, { id: dispute_id, charge_id: dispute.charge_id }, content)
}

/** Reduces an inquiry after a refund, and closes it if nothing remains. Runs in a transaction. */
export async function reduceInquiry(
  tx: Db,
  random: Random,
  now: Date,
  inquiry: SandboxDispute,
  refunded: number,
): Promise<void> {
  const left = inquiry.amount - refunded
  if (left <= 0) return await change(tx, random, now, inquiry, afterDecision(inquiry, now, 'won'))
  await tx.run(sql`update sandbox.disputes set amount = ${left} where id = ${inquiry.id}`)
  await change(tx, random, now, { ...inquiry, amount: left }, inquiry)
}

/** Locks the charge before its dispute, as refunds do, to avoid deadlock. */
async function lockOpen(tx: Db, now: Date, id: string): Promise<SandboxDispute> {
  await tx.maybe(sql`select id from sandbox.charges
    where id = (select charge_id from sandbox.disputes where id = ${id}) for update`)
  const dispute = await tx.maybe<SandboxDispute>(
    sql`select ${COLUMNS} from sandbox.disputes where id = ${id}`,
  )
  if (!dispute) throw new Error('there is no such dispute')
  if (phaseOf(dispute, now) === 'closed') throw new DisputeClosed('this dispute is already decided')
  return dispute
}

/** Changes the course of a dispute, which replaces its pending events. */
async function change(tx: Db, random: Random, now: Date, dispute: SandboxDispute, course: Course) {
  await tx.run(sql`update sandbox.disputes set escalates_at = ${course.escalates_at},
    closes_at = ${course.closes_at}, outcome = ${course.outcome} where id = ${dispute.id}`)
  await events.unschedule(tx, dispute.id, now)
  const mayEscalate = phaseOf(dispute, now) !== 'open'
  const { is_inquiry, escalates_at, closes_at, outcome } = course
  const changed = { ...dispute, is_inquiry, escalates_at, closes_at, outcome }
  await announceCourse(tx, random, changed, mayEscalate)
}

/** Schedules the remaining events of a dispute or inquiry. */
async function announceCourse(
  tx: Db,
  random: Random,
  dispute: SandboxDispute,
  mayEscalate: boolean,
): Promise<void> {
  const { id, charge_id, escalates_at, closes_at, outcome } = dispute
  if (mayEscalate && escalates_at) await announceOpening(tx, random, escalates_at, dispute)
  const content = { kind: 'dispute_closed', dispute_id: id, outcome } as const
  await events.schedule(tx, random, closes_at, { id, charge_id }, content)
}

async function announceOpening(
  tx: Db,
  random: Random,
  at: Date,
  dispute: SandboxDispute,
): Promise<void> {
  const { id, charge_id, amount, reason } = dispute
  await events.schedule(
    tx,
    random,
    at,
    { id, charge_id },
    {
      kind: 'dispute_opened',
      dispute_id: id,
      charge_id,
      amount: cents(amount),
      reason,
      is_inquiry: phaseOf(dispute, at) === 'inquiry',
      due_at: dueAt(dispute, at),
    },
  )
}
