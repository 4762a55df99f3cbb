import { type CreatedCursor, isBelow } from '#platform/created-list'
import type { Db } from '#platform/db'
import type {
  ChargeId,
  ExcessRepaymentId,
  UserId,
  WriteOffId,
  WriteOffReversalId,
} from '#platform/ids'
import type { Cents } from '#platform/money'
import { rowsOf, sql } from '#platform/sql'
import type { ChargePart, SettledPart } from './staff-bookings.ts'

/** How a buyer repays what they received in excess. */
export type RepaymentWay = 'bank_transfer' | 'check'

/** What a buyer repaid of what they had received in excess of their payments. */
export interface ExcessRepayment {
  id: ExcessRepaymentId
  user_id: UserId
  amount: Cents
  way: RepaymentWay
  /** What the bank statement names it by. */
  reference: string
  /** The day on which it arrived, `2026-11-20`. */
  paid_on: string
  /** The member of staff who recorded it. */
  recorded_by: UserId
}

/** Records a repayment; its parts and its posting belong in the same transaction. */
export async function addRepayment(db: Db, now: Date, facts: ExcessRepayment): Promise<void> {
  const { id, user_id, amount, way, reference, paid_on, recorded_by } = facts
  await db.run(sql`insert into excess_repayments
      (id, user_id, amount, way, reference, paid_on, recorded_by, created_at)
    values (${id}, ${user_id}, ${amount}, ${way}, ${reference}, ${paid_on}, ${recorded_by},
      ${now})`)
}

/** Records the charges whose excess a settlement is of; they add up to its amount. */
export async function addExcessParts(
  db: Db,
  settlement_id: ExcessRepaymentId | WriteOffId | WriteOffReversalId,
  parts: ChargePart[],
): Promise<void> {
  const types = { charge_id: 'text', amount: 'bigint', at: 'timestamptz' } as const
  await db.run(sql`insert into excess_parts (settlement_id, charge_id, amount, created_at)
    select ${settlement_id}, row.* from ${rowsOf(parts, types)}`)
}

/** A recorded repayment; undefined if there is none with this id. */
export async function findRepayment(
  db: Db,
  id: ExcessRepaymentId,
): Promise<ExcessRepayment | undefined> {
  return await db.maybe<ExcessRepayment>(sql`select id, user_id, amount, way, reference,
      to_char(paid_on, 'YYYY-MM-DD') as paid_on, recorded_by
    from excess_repayments where id = ${id}`)
}

/** Records that a part of a write-off is reversed; its part and its posting belong with it. */
export async function addReversal(
  db: Db,
  now: Date,
  { id, user_id, amount }: { id: WriteOffReversalId; user_id: UserId; amount: Cents },
): Promise<void> {
  await db.run(sql`insert into write_off_reversals (id, user_id, amount, created_at)
    values (${id}, ${user_id}, ${amount}, ${now})`)
}

/** What is written off of a charge's excess, in cents, without what was reversed. */
export async function writtenOffOf(db: Db, charge_id: ChargeId): Promise<Cents> {
  const { amount } = await db.one<{ amount: Cents }>(sql`
    select coalesce(sum(p.amount), 0)::bigint as amount from excess_parts p
    where p.charge_id = ${charge_id}
      and not exists (select 1 from excess_repayments r where r.id = p.settlement_id)`)
  return amount
}

/** The parts of a repayment or a write-off, the earliest charge first. */
export async function partsOfSettlement(
  db: Db,
  id: ExcessRepaymentId | WriteOffId,
): Promise<SettledPart[]> {
  return await db.rows<SettledPart>(sql`select c.invoice_id, p.amount
    from excess_parts p join charges c on c.id = p.charge_id
    where p.settlement_id = ${id} order by c.created_at, c.id`)
}

/** A settlement in the history of a buyer. */
export interface ExcessSettlement {
  id: string
  kind: 'repaid' | 'written_off' | 'reversed'
  amount: Cents
  way: RepaymentWay | null
  /** The reference of a repayment, or the reason of a write-off. */
  text: string | null
  /** When a repayment arrived, or the other was booked. */
  at: Date
  created_at: Date
  /** The email of the member of staff who recorded it; null for a reversal. */
  email: string | null
}

/** A page of the settlements of a buyer's excess, latest first. */
export async function listSettlements(
  db: Db,
  query: { user_id: UserId; below?: CreatedCursor<string> | undefined; limit: number },
): Promise<ExcessSettlement[]> {
  const { user_id, below, limit } = query
  return await db.rows<ExcessSettlement>(sql`select s.id, s.kind, s.amount, s.way, s.text, s.at,
      s.created_at, coalesce(u.email, s.by) as email
    from (select id, 'repaid' as kind, amount, way, reference as text,
        paid_on::timestamp at time zone 'UTC' as at, recorded_by as by, created_at
      from excess_repayments where user_id = ${user_id}
      union all select id, 'written_off', amount, null, reason, created_at, written_off_by,
        created_at
      from write_offs where owner = ${user_id}
      union all select id, 'reversed', amount, null, null, created_at, null, created_at
      from write_off_reversals where user_id = ${user_id}) s
      left join users u on u.id = s.by
    where ${isBelow(sql`s.created_at, s.id`, below)}
    order by s.created_at desc, s.id desc limit ${limit}`)
}
