import type { Db } from '#platform/db'
import type { AppId, ChargeId, InvoiceId, UserId } from '#platform/ids'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'

/** What the books say of a charge and its buyer. */
export interface ChargeBalance {
  charge_id: ChargeId
  invoice_id: InvoiceId
  number: number
  app_id: AppId
  app_name: string
  /** What the buyer received in excess; negative: what they are owed. Never zero. */
  balance: Cents
  clock_ahead: number
}

/** A part of an amount, in cents, that belongs to a charge. */
export type PartOfCharge = Omit<ChargeBalance, 'balance'> & { amount: Cents }

/**
 * What a buyer received in excess of each charge, or is owed of it, the earliest charge first: what
 * was booked for its refunds and disputes, and what was paid or settled since. The sum of all is
 * the buyer's balance.
 */
export async function chargeBalances(db: Db, user_id: UserId): Promise<ChargeBalance[]> {
  return await db.rows<ChargeBalance>(sql`
    select c.id as charge_id, i.id as invoice_id, coalesce(i.number, 0) as number, i.app_id,
      i.app_name, b.balance, a.clock_ahead
    from (select coalesce(r.charge_id, x.charge_id, d.charge_id) as charge_id,
        sum(e.amount) as amount
      from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        left join refunds r on r.id = t.subject
        left join reissued_refunds x on x.id = t.subject
        left join disputes d on d.id = t.subject
      where e.account = 'buyer_payable' and e.owner = ${user_id}
      group by 1) o
      join charges c on c.id = o.charge_id join invoices i on i.id = c.invoice_id
      join apps a on a.id = i.app_id
      cross join lateral (select (o.amount
        + coalesce((select sum(amount) from buyer_payment_parts where charge_id = c.id), 0)
        - coalesce((select sum(amount) from excess_parts where charge_id = c.id), 0)
        )::bigint as balance) b
    where b.balance <> 0 order by c.created_at, c.id`)
}

/**
 * What a buyer received in excess of a charge, in cents, whatever the balance of others; negative:
 * what they are owed of it.
 */
export async function balanceOfCharge(
  db: Db,
  { user_id, charge_id }: { user_id: UserId; charge_id: ChargeId },
): Promise<Cents> {
  return balanceIn(await chargeBalances(db, user_id), charge_id)
}

/**
 * What a buyer is to repay of a charge, in cents: what they received in excess of it, less what
 * they are owed of others.
 */
export async function excessOf(
  db: Db,
  { user_id, charge_id }: { user_id: UserId; charge_id: ChargeId },
): Promise<Cents> {
  return balanceIn(await chargesToRepay(db, user_id), charge_id)
}

function balanceIn(balances: readonly ChargeBalance[], id: ChargeId): Cents {
  return balances.find(({ charge_id }) => charge_id === id)?.balance ?? ZERO
}

/** The charges of which a buyer is to repay something, with what it is, at most their balance. */
export async function chargesToRepay(db: Db, user_id: UserId): Promise<ChargeBalance[]> {
  const balances = await chargeBalances(db, user_id)
  const owed = sum(ZERO, ...balances.map(({ balance }) => balance))
  const charges = balances.map((each) => ({
    ...each,
    balance: cents(Math.min(each.balance, owed)),
  }))
  return charges.filter(({ balance }) => balance > ZERO)
}

/**
 * What a buyer is owed of each charge, in cents, the earliest first: what they would be paid of it
 * now. What they received in excess of others reduces it.
 */
export async function owedByCharge(db: Db, user_id: UserId): Promise<PartOfCharge[]> {
  const balances = await chargeBalances(db, user_id)
  const owed = balances.map((each) => ({ ...each, balance: cents(0 - each.balance) }))
  return divideAmong(owed, sum(ZERO, ...owed.map(({ balance }) => balance)))
}

/**
 * Divides an amount, in cents, among the charges with a positive balance, the earliest first. The
 * amount is no more than the sum of all balances: the negative ones reduce it.
 */
export function divideAmong(balances: readonly ChargeBalance[], total: Cents): PartOfCharge[] {
  let left: number = total
  return balances.flatMap(({ balance, ...charge }) => {
    const amount = cents(Math.max(0, Math.min(left, balance)))
    left -= amount
    return amount > ZERO ? [{ ...charge, amount }] : []
  })
}
