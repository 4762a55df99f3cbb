import type { RefundAnswer, RefundRequest } from '#domain/payments'
import { addDays } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'
import { BEHAVIORS, type Behavior } from './cards.ts'
import * as charges from './charges.ts'
import { type Phase, phaseOf } from './dispute.ts'
import * as disputes from './disputes.ts'
import * as events from './events.ts'
import { hashOf, requireSameRequest } from './idempotency-keys.ts'

interface SandboxRefund {
  id: string
  request_hash: string
  status: 'succeeded' | 'pending' | 'refused'
  reason: string | null
}

const SETTLES_AFTER_DAYS = 1

/** Refunds a charge, once per key; keys never expire. */
export async function refund(
  { db, random }: { db: Database; random: Random },
  now: Date,
  request: RefundRequest,
): Promise<RefundAnswer> {
  const { key, charge_id, amount } = request
  if (amount <= 0) throw new RangeError('the amount of a refund must be positive')
  const request_hash = hashOf([charge_id, amount])
  return await db.tx(async (tx) => {
    const charge = await charges.lockSucceeded(tx, charge_id)
    const dispute = await disputes.ofCharge(tx, charge_id)
    const phase = dispute && phaseOf(dispute, now)
    const fault =
      disputeFault(phase, dispute?.outcome) ??
      amountFault(amount, await remainingAmount(tx, now, charge))
    const { refunds }: Behavior = fault ? {} : BEHAVIORS[charge.behavior]
    const settles_at = refunds ? addDays(now, SETTLES_AFTER_DAYS) : null
    const status = fault ? 'refused' : refunds === 'pending' ? 'pending' : 'succeeded'
    const id: string = mintId(random, 're')
    const is_new = await tx.run(sql`insert into sandbox.refunds
      (id, key, request_hash, charge_id, amount, status, reason, comes_back_at, created_at)
      values (${id}, ${key}, ${request_hash}, ${charge_id}, ${amount}, ${status},
        ${fault ?? null}, ${refunds === 'fails' ? settles_at : null}, ${now})
      on conflict (key) do nothing`)
    if (is_new && settles_at) {
      const outcome = refunds === 'fails' ? 'failed' : 'succeeded'
      const content = { kind: 'refund_settled', refund_id: id, outcome } as const
      await events.schedule(tx, random, settles_at, { id, charge_id }, content)
    }
    if (is_new && !fault && phase === 'inquiry') {
      await disputes.reduceInquiry(tx, random, now, dispute!, amount)
    }
    const known = await tx.maybe<SandboxRefund>(sql`select id, request_hash, status, reason
      from sandbox.refunds where key = ${key}`)
    return answerOf(requireSameRequest(known, request_hash))
  })
}

/**
 * Refunds a charge as in the processor's dashboard, and schedules the event. Undefined if the
 * amount exceeds what remains of the charge.
 */
export async function refundOutside(
  { db, random }: { db: Database; random: Random },
  now: Date,
  { charge_id, amount }: { charge_id: string; amount: Cents },
): Promise<{ refund_id: string } | undefined> {
  return await db.tx(async (tx) => {
    const charge = await charges.lockSucceeded(tx, charge_id)
    const dispute = await disputes.ofCharge(tx, charge_id)
    const phase = dispute && phaseOf(dispute, now)
    const left = await remainingAmount(tx, now, charge)
    if (disputeFault(phase, dispute?.outcome) ?? amountFault(amount, left)) return undefined
    const refund_id: string = mintId(random, 're')
    await tx.run(sql`insert into sandbox.refunds
      (id, key, request_hash, charge_id, amount, status, created_at)
      values (${refund_id}, ${refund_id}, 'by hand', ${charge_id}, ${amount}, 'succeeded', ${now})`)
    const content = {
      kind: 'refund_made',
      refund_id,
      charge_id,
      amount,
      status: 'succeeded',
    } as const
    await events.schedule(tx, random, now, { id: refund_id, charge_id }, content)
    return { refund_id }
  })
}

function answerOf({ id, status, reason }: SandboxRefund): RefundAnswer {
  return status === 'refused' ? { status, reason: reason! } : { status, refund_id: id }
}

/** The amount of a charge that was not refunded; failed refunds do not count. */
export async function remainingAmount(
  db: Db,
  now: Date,
  charge: charges.SucceededCharge,
): Promise<number> {
  const { refunded } = await db.one<{ refunded: number }>(sql`
    select coalesce(sum(amount), 0)::bigint as refunded from sandbox.refunds
    where charge_id = ${charge.id} and status <> 'refused'
      and (comes_back_at is null or comes_back_at > ${now})`)
  return charge.amount - refunded
}

/** Why a charge cannot be refunded while it is disputed, or after the dispute was lost. */
function disputeFault(phase?: Phase, outcome?: 'won' | 'lost'): string | undefined {
  if (phase === 'open') return 'The charge is disputed: its bank decides who gets the money.'
  const is_lost = phase === 'closed' && outcome === 'lost'
  return is_lost ? 'The charge was returned to the buyer by a lost dispute.' : undefined
}

function amountFault(amount: number, left: number): string | undefined {
  return amount > left ? 'The refund exceeds the remaining amount of the charge.' : undefined
}
