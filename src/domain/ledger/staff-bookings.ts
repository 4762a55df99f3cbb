import type { Db } from '#platform/db'
import type { BuyerPaymentId, ChargeId, InvoiceId, UserId, WriteOffId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { rowsOf, sql } from '#platform/sql'
import type { Debtor } from './posting.ts'

/** A debt that staff wrote off. */
export type WriteOff = Debtor & {
  id: WriteOffId
  amount: Cents
  /** The member of staff who decided it, and the reason. */
  written_off_by: UserId
  reason: string
}

/** A payment to a buyer outside their card. */
export interface BuyerPayment {
  id: BuyerPaymentId
  user_id: UserId
  amount: Cents
  /** The member of staff who made the payment. */
  paid_by: UserId
  /** What it returns of each charge; they add up to the amount. */
  parts: ChargePart[]
}

/** What a booking settles of a charge, at the time of its app; negative for a reversal. */
export interface ChargePart {
  charge_id: ChargeId
  amount: Cents
  at: Date
}

/** What a booking settles of a charge, for the email about it. */
export interface SettledPart {
  invoice_id: InvoiceId
  amount: Cents
}

/** Records a write-off; its posting belongs in the same transaction. */
export async function addWriteOff(db: Db, now: Date, facts: WriteOff): Promise<void> {
  const { id, account, owner, amount, written_off_by, reason } = facts
  await db.run(sql`insert into write_offs
      (id, account, owner, amount, written_off_by, reason, created_at)
    values (${id}, ${account}, ${owner}, ${amount}, ${written_off_by}, ${reason}, ${now})`)
}

/** Records a payment to a buyer; its posting belongs in the same transaction. */
export async function addBuyerPayment(db: Db, now: Date, facts: BuyerPayment): Promise<void> {
  const { id, user_id, amount, paid_by, parts } = facts
  await db.run(sql`insert into buyer_payments (id, user_id, amount, paid_by, created_at)
    values (${id}, ${user_id}, ${amount}, ${paid_by}, ${now})`)
  const types = { charge_id: 'text', amount: 'bigint', at: 'timestamptz' } as const
  await db.run(sql`insert into buyer_payment_parts (payment_id, charge_id, amount, created_at)
    select ${id}, row.* from ${rowsOf(parts, types)}`)
}

/** What a buyer was paid outside the card for refunds of a charge that it returned. */
export async function paidOtherwiseFor(
  db: Db,
  charge_id: ChargeId,
): Promise<{ amount: Cents; created_at: Date }[]> {
  return await db.rows<{ amount: Cents; created_at: Date }>(sql`select amount, created_at
    from buyer_payment_parts where charge_id = ${charge_id} order by created_at, payment_id`)
}

/** The parts of a payment to a buyer, the earliest charge first. */
export async function partsOfPayment(db: Db, id: BuyerPaymentId): Promise<SettledPart[]> {
  return await db.rows<SettledPart>(sql`select c.invoice_id, p.amount
    from buyer_payment_parts p join charges c on c.id = p.charge_id
    where p.payment_id = ${id} order by c.created_at, c.id`)
}
