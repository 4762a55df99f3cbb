import type { Account } from '#domain/ledger'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** The balance of an account, in cents; a credit balance is negative. */
interface Balance {
  account: Account
  owner: string
  amount: Cents
}

/** Every balance at an instant, inclusive; zero balances are left out. */
export async function balancesAt(db: Db, at: Date): Promise<Balance[]> {
  return await db.rows<Balance>(sql`
    select e.account, e.owner, sum(e.amount)::bigint as amount
    from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    where t.at <= ${at} group by e.account, e.owner having sum(e.amount) <> 0
    order by e.account, e.owner`)
}
