import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** Money that was taken. */
export interface Charge {
  id: string
  attempt_id: string
  order_id: string
  processor: string
  processor_charge_id: string
  amount: Cents
}

/** Records a charge that cleared; the processor's own id makes a second record impossible. */
export async function recordCharge(db: Db, now: Date, charge: Charge): Promise<void> {
  await db.run(sql`insert into charges
    (id, attempt_id, order_id, processor, processor_charge_id, amount, created_at)
    values (${charge.id}, ${charge.attempt_id}, ${charge.order_id}, ${charge.processor},
      ${charge.processor_charge_id}, ${charge.amount}, ${now})`)
}
