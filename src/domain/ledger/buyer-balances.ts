import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** A buyer whom the service owes a refund that was returned. */
export interface OwedBuyer {
  user_id: UserId
  email: string
  amount: Cents
}

/** A buyer who received more than they paid. */
export interface ExcessBuyer {
  user_id: UserId
  email: string
  /** What they owe. */
  amount: Cents
  /** What open disputes took in excess, and return if they are won. */
  disputed: Cents
}

interface BuyersPage {
  limit: number
  offset: number
}

/** A page of the buyers to whom the service owes money, in the order of their ids. */
export async function listOwedBuyers(db: Db, page: BuyersPage): Promise<OwedBuyer[]> {
  return await db.rows<OwedBuyer>(sql`
    select b.user_id, coalesce(u.email, b.user_id) as email, -b.amount as amount
    from buyer_balances b left join users u on u.id = b.user_id
    where b.amount < 0 ${cutTo(page)}`)
}

/** A page of the buyers who received more than they paid, in the order of their ids. */
export async function listExcessBuyers(db: Db, page: BuyersPage): Promise<ExcessBuyer[]> {
  return await db.rows<ExcessBuyer>(excessOfBuyers(sql`b.amount > 0 ${cutTo(page)}`))
}

/**
 * A buyer and what they owe; negative: what they are owed. Undefined if nothing was ever booked for
 * them.
 */
export async function findExcessBuyer(db: Db, user_id: UserId): Promise<ExcessBuyer | undefined> {
  return await db.maybe<ExcessBuyer>(excessOfBuyers(sql`b.user_id = ${user_id}`))
}

const cutTo = ({ limit, offset }: BuyersPage) =>
  sql`order by b.user_id limit ${limit} offset ${offset}`

const excessOfBuyers = (which: Sql) => sql`
  select b.user_id, coalesce(u.email, b.user_id) as email, b.amount,
    (select coalesce(sum(d.owed), 0)::bigint from invoices i
      join charges c on c.invoice_id = i.id join disputes d on d.charge_id = c.id
      where i.user_id = b.user_id and d.status = 'open') as disputed
  from buyer_balances b left join users u on u.id = b.user_id
  where ${which}`

/** Balances of buyers that differ from the ledger, over all of it: for the check of the books. */
export async function wrongBuyerBalances(
  db: Db,
): Promise<{ user_id: UserId; found: Cents; expected: Cents }[]> {
  return await db.rows(sql`select user_id, coalesce(b.amount, 0)::bigint as found,
      coalesce(e.amount, 0)::bigint as expected
    from buyer_balances b
      full join (select owner as user_id, sum(amount) as amount from ledger_entries
        where account = 'buyer_payable' group by owner) e using (user_id)
    where coalesce(b.amount, 0) <> coalesce(e.amount, 0) order by user_id`)
}
