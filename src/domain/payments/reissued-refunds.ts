import type { Db } from '#platform/db'
import type { ChargeId, ProcessorId, ReissueId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/**
 * The part of a refund in the processor's dashboard that a buyer was owed already, because a refund
 * of the charge was returned.
 */
export interface ReissuedRefund {
  id: ReissueId
  charge_id: ChargeId
  processor_refund_id: ProcessorId
  amount: Cents
  /** failed: the money was returned to us again. */
  status: 'pending' | 'succeeded' | 'failed'
}

const COLUMNS = sql`id, charge_id, processor_refund_id, amount, status`

/** Records a refund that was made again. */
export async function addReissue(db: Db, now: Date, reissue: ReissuedRefund): Promise<void> {
  const { id, charge_id, processor_refund_id, amount, status } = reissue
  await db.run(sql`insert into reissued_refunds
      (id, charge_id, processor_refund_id, amount, status, created_at)
    values (${id}, ${charge_id}, ${processor_refund_id}, ${amount}, ${status}, ${now})`)
}

/** A refund that was made again, by the processor's id. */
export async function findReissue(
  db: Db,
  processor_refund_id: ProcessorId,
): Promise<ReissuedRefund | undefined> {
  return await db.maybe<ReissuedRefund>(sql`select ${COLUMNS} from reissued_refunds
    where processor_refund_id = ${processor_refund_id}`)
}

/** What was refunded again of a charge and was not returned, in cents. */
export async function reissuedOf(db: Db, charge_id: ChargeId): Promise<Cents> {
  const { amount } = await db.one<{ amount: Cents }>(sql`
    select coalesce(sum(amount), 0)::bigint as amount from reissued_refunds
    where charge_id = ${charge_id} and status <> 'failed'`)
  return amount
}

/** The refunds of a charge that were made again, earliest first. */
export async function reissuesOf(db: Db, charge_id: ChargeId): Promise<ReissuedRefund[]> {
  return await db.rows<ReissuedRefund>(sql`select ${COLUMNS} from reissued_refunds
    where charge_id = ${charge_id} order by created_at, id`)
}

/** Records whether a refund that was made again arrived. */
export async function settleReissue(
  db: Db,
  id: ReissueId,
  status: 'succeeded' | 'failed',
): Promise<void> {
  await db.run(sql`update reissued_refunds set status = ${status} where id = ${id}`)
}
