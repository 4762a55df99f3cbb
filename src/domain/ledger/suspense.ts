import type { Db } from '#platform/db'
import type { SuspenseBookingId, UserId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** What an unexplained movement turns out to be: the account that it is booked on. */
export const SUSPENSE_ACCOUNTS = ['bank', 'processing_fees', 'losses'] as const
export type SuspenseAccount = (typeof SUSPENSE_ACCOUNTS)[number]

/** A movement that staff booked off `suspense`. */
export interface SuspenseBooking {
  id: SuspenseBookingId
  processor: string
  /** The processor's balance transaction. */
  movement_id: string
  account: SuspenseAccount
  /** What was received, in cents; negative: what was paid. */
  amount: Cents
  /** The member of staff who decided it, and the reason. */
  booked_by: UserId
  reason: string
}

/** A movement at the processor that no record explains. */
export interface UnexplainedMovement {
  id: string
  at: Date
  amount: Cents
  description: string
}

// On `suspense` once its day is closed.
const UNEXPLAINED = (processor: string) => sql`b.processor = ${processor} and b.kind = 'other'
  and b.amount <> 0
  and b.at < (select (max(c.day) + 1)::timestamp at time zone 'UTC' from closed_days c
    where c.processor = ${processor})
  and not exists (select 1 from suspense_bookings s
    where s.processor = b.processor and s.movement_id = b.id)`

/** The movements that are on `suspense` and were not booked, the earliest first. */
export async function listUnexplained(
  db: Db,
  processor: string,
  page: { limit: number; offset: number },
): Promise<UnexplainedMovement[]> {
  return await db.rows<UnexplainedMovement>(sql`select b.id, b.at, b.amount, b.description
    from balance_transactions b where ${UNEXPLAINED(processor)}
    order by b.at, b.id limit ${page.limit} offset ${page.offset}`)
}

/** A movement that is on `suspense` and was not booked. */
export async function findUnexplained(
  db: Db,
  { processor, id }: { processor: string; id: string },
): Promise<UnexplainedMovement | undefined> {
  return await db.maybe<UnexplainedMovement>(sql`select b.id, b.at, b.amount, b.description
    from balance_transactions b where b.id = ${id} and ${UNEXPLAINED(processor)}`)
}

/**
 * Records what a movement is booked as; its posting belongs in the same transaction. False if
 * another transaction booked it first.
 */
export async function addSuspenseBooking(
  db: Db,
  now: Date,
  facts: SuspenseBooking,
): Promise<boolean> {
  const { id, processor, movement_id, account, amount, booked_by, reason } = facts
  const added = await db.run(sql`insert into suspense_bookings
      (id, processor, movement_id, account, amount, booked_by, reason, created_at)
    values (${id}, ${processor}, ${movement_id}, ${account}, ${amount}, ${booked_by}, ${reason},
      ${now})
    on conflict (processor, movement_id) do nothing`)
  return added === 1
}
