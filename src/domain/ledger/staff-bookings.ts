import type { Db } from '#platform/db'
import type { BuyerPaymentId, PayeeId, UserId, WriteOffId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** A debt of a seller or an affiliate that staff wrote off. */
export interface WriteOff {
  id: WriteOffId
  account: 'seller_payable' | 'affiliate_payable'
  owner: PayeeId
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
  const { id, user_id, amount, paid_by } = facts
  await db.run(sql`insert into buyer_payments (id, user_id, amount, paid_by, created_at)
    values (${id}, ${user_id}, ${amount}, ${paid_by}, ${now})`)
}
