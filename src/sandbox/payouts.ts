import type { PayoutAnswer, PayoutRequest } from '#domain/payments'
import { addDays } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'
import * as accounts from './accounts.ts'
import * as balance from './balance.ts'
import * as events from './events.ts'
import { hashOf, requireSameRequest } from './idempotency-keys.ts'

interface SandboxPayout {
  id: string
  request_hash: string
  status: 'pending' | 'failed'
  reason: string | null
}

const ARRIVES_AFTER_DAYS = 1
const NO_BANK = 'The account has no bank yet.'

/** Pays out to a payee, once per key; keys never expire. The bank answers a day later. */
export async function payOut(
  { db, random }: { db: Database; random: Random },
  now: Date,
  request: PayoutRequest,
): Promise<PayoutAnswer> {
  const { key, account_id, amount, description } = request
  if (amount <= 0) throw new RangeError('the amount of a payout must be positive')
  const request_hash = hashOf([account_id, amount, description])
  return await db.tx(async (tx) => {
    const { is_ready, bank_failure } = await accounts.read(tx, account_id)
    await balance.lock(tx)
    const known = await find(tx, key)
    if (known) return answerOf(requireSameRequest(known, request_hash))
    const { available } = await balance.read(tx, now)
    // Not stored, so that the same key is decided again.
    if (is_ready && amount > available) return { status: 'short', available }
    const id: string = mintId(random, 'po')
    const status = is_ready ? 'pending' : 'failed'
    await tx.run(sql`insert into sandbox.payouts
      (id, key, request_hash, account_id, amount, description, status, reason, created_at)
      values (${id}, ${key}, ${request_hash}, ${account_id}, ${amount}, ${description},
        ${status}, ${is_ready ? null : NO_BANK}, ${now})`)
    if (is_ready) {
      const ended = bank_failure
        ? ({ outcome: 'failed', reason: bank_failure } as const)
        : ({ outcome: 'paid' } as const)
      const due_at = addDays(now, ARRIVES_AFTER_DAYS)
      const content = { kind: 'payout_settled', key, payout_id: id, ...ended } as const
      await events.schedule(tx, random, due_at, { id }, content)
    }
    return answerOf((await find(tx, key))!)
  })
}

/** Cancels a pending payout, as in the processor's dashboard. */
export async function cancel(
  { db, random }: { db: Database; random: Random },
  now: Date,
  payout_id: string,
): Promise<void> {
  await db.tx(async (tx) => {
    await events.unschedule(tx, payout_id, now)
    const { key } = await tx.one<{ key: string }>(
      sql`select key from sandbox.payouts where id = ${payout_id}`,
    )
    const reason = 'The payout was canceled.'
    const ended = { outcome: 'failed', reason, is_canceled: true } as const
    const content = { kind: 'payout_settled', key, payout_id, ...ended } as const
    await events.schedule(tx, random, now, { id: payout_id }, content)
  })
}

async function find(db: Db, key: string): Promise<SandboxPayout | undefined> {
  return await db.maybe<SandboxPayout>(sql`select id, request_hash, status, reason
    from sandbox.payouts where key = ${key}`)
}

function answerOf({ id, status, reason }: SandboxPayout): PayoutAnswer {
  return status === 'failed' ? { status, reason: reason! } : { status, payout_id: id }
}
