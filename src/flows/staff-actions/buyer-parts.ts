import type { BuyerPaymentPart } from '#domain/ledger'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import type { ChargeId, UserId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'
import { sql } from '#platform/sql'

/**
 * Divides a payment to a buyer, in cents, among the charges of which they are owed refunds, the
 * earliest first. The payment is no more than they are owed.
 */
export async function partsOfPayment(
  world: World,
  tx: Db,
  { user_id, total }: { user_id: UserId; total: Cents },
): Promise<BuyerPaymentPart[]> {
  let left = total
  return (await owedByCharge(tx, user_id)).flatMap(({ charge_id, owed, clock_ahead }) => {
    const amount = cents(Math.min(left, owed))
    left = cents(left - amount)
    return amount > ZERO ? [{ charge_id, amount, at: appTime(world, { clock_ahead }) }] : []
  })
}

interface OwedCharge {
  charge_id: ChargeId
  owed: Cents
  clock_ahead: number
}

/**
 * What the books say that a buyer is owed of each charge. One that was returned twice, by its bank
 * too, reduces what is paid and is not listed.
 */
async function owedByCharge(db: Db, user_id: UserId): Promise<OwedCharge[]> {
  return await db.rows<OwedCharge>(sql`
    select c.id as charge_id, (o.amount - coalesce(p.amount, 0))::bigint as owed, a.clock_ahead
    from (select coalesce(r.charge_id, x.charge_id, d.charge_id) as charge_id,
        -sum(e.amount) as amount
      from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        left join refunds r on r.id = t.subject
        left join reissued_refunds x on x.id = t.subject
        left join disputes d on d.id = t.subject
      where e.account = 'buyer_payable' and e.owner = ${user_id} and t.event <> 'buyer_paid'
      group by 1) o
      join charges c on c.id = o.charge_id join invoices i on i.id = c.invoice_id
      join apps a on a.id = i.app_id
      left join lateral (select sum(amount) as amount from buyer_payment_parts
        where charge_id = c.id) p on true
    where o.amount > coalesce(p.amount, 0) order by c.created_at, c.id`)
}
