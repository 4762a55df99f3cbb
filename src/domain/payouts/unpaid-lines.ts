import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { PayeeId, TransactionId } from '#platform/ids'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { accountOf, delayDays, NEVER_DELAYED, type Payee, type PayeeBalance } from './available.ts'
import { arePaused, COLUMNS, type Payout } from './payouts.ts'

const OF_PAYEE = ({ owner, account }: Payee) => sql`owner = ${owner} and account = ${account}`

/** The amounts of which the balance of a payee is the sum: negative ones are owed to the payee. */
const BALANCE_PARTS = (payee: Payee) => sql`
  select amount from payee_balances where ${OF_PAYEE(payee)}
  union all select amount from payee_unsummed where ${OF_PAYEE(payee)}`

/** Whether a line is delayed at a time. */
const DELAYED = (now: Date, payee: Payee) => sql`amount < 0
  and event <> all(${NEVER_DELAYED}::text[])
  and at > ${addDays(now, -delayDays(payee))}::timestamptz`

// Where more was refunded than is delayed, the rest is owed now: the delayed part is deducted.
/** Delayed sales that cover their refunds: both parts are pending. */
const WAITING = (now: Date, payee: Payee) => sql`delayed as materialized (
    select sale, sum(amount) as amount, max(at) as at from unpaid_lines
    where ${OF_PAYEE(payee)} and ${DELAYED(now, payee)} group by sale),
  reversed as (select sale, sum(amount) as amount from unpaid_lines
    where ${OF_PAYEE(payee)} and amount > 0 and sale in (select sale from delayed) group by sale),
  waiting as materialized (select d.sale, d.at, -(d.amount + coalesce(b.amount, 0)) as amount
    from delayed d left join reversed b on b.sale = d.sale
    where d.amount + coalesce(b.amount, 0) <= 0)`

/**
 * The available and the pending balance of a payee at a time. Credits count once their delay is
 * over, and those of a returned payout at once. Debits count at once, but the refund of a delayed
 * sale is deducted from that sale: it does not reduce a payout of other money.
 */
export async function payeeBalance(db: Db, now: Date, payee: Payee): Promise<PayeeBalance> {
  const rows = await db.rows<{ balance: Cents; at: Date | null; amount: Cents | null }>(sql`
    with ${WAITING(now, payee)},
      days as (select max(at) as at, sum(amount)::bigint as amount from waiting where amount > 0
        group by date_trunc('day', at at time zone 'UTC')),
      parts as (${BALANCE_PARTS(payee)})
    select b.balance, d.at, d.amount
    from (select coalesce(sum(amount), 0)::bigint as balance from parts) b
      left join days d on true order by d.at`)
  const pending = rows.flatMap(({ at, amount }) =>
    at && amount !== null ? [{ at: addDays(at, delayDays(payee)), amount }] : [],
  )
  const pending_total = sum(ZERO, ...pending.map(({ amount }) => amount))
  const balance = rows[0]?.balance ?? ZERO
  return { total: cents(0 - balance - pending_total), pending, pending_total }
}

/** Whether payouts to a payee are blocked: staff paused them, or the payee owes money. */
export async function areBlocked(db: Db, owner: PayeeId): Promise<boolean> {
  const payee = { owner, account: accountOf(owner) }
  const { balance } = await db.one<{ balance: Cents }>(sql`
    select coalesce(sum(amount), 0)::bigint as balance from (${BALANCE_PARTS(payee)}) b`)
  return balance > ZERO || (await arePaused(db, owner))
}

/**
 * Records a payout with all lines that are available at `until`, before the processor is called;
 * undefined if they are less than `minimum`, in cents. One statement, so that the amount is that of
 * its lines whatever is posted at the same time.
 */
export async function addPayout(
  db: Db,
  now: Date,
  until: Date,
  payout: Pick<Payout, 'id' | 'owner' | 'account' | 'cause' | 'bank' | 'bank_fingerprint'> & {
    minimum: Cents
  },
): Promise<Payout | undefined> {
  const { id, owner, account, cause, bank, bank_fingerprint, minimum } = payout
  return await db.maybe<Payout>(sql`with ${WAITING(until, payout)},
    counted as materialized (select transaction_id, position, at, amount from unpaid_lines
      where ${OF_PAYEE(payout)} and not (sale in (select sale from waiting)
        and (amount > 0 or ${DELAYED(until, payout)}))),
    added as (insert into payouts
        (id, owner, account, amount, cause, status, bank, bank_fingerprint, created_at)
      select ${id}, ${owner}, ${account}, -sum(amount), ${cause}, 'open', ${bank},
        ${bank_fingerprint}, ${now}::timestamptz
      from counted having -sum(amount) >= ${minimum} returning ${COLUMNS}),
    noted as (insert into payout_lines (transaction_id, position, payout_id, line)
      select counted.transaction_id, counted.position, added.id,
        row_number() over (order by counted.at, counted.transaction_id, counted.position)
      from counted cross join added)
    select * from added`)
}

/**
 * Adds up to `limit` entries to the balances of their payees. An entry leaves the queue as its
 * balance is written, so each counts once however many processes run. Returns the number added.
 */
export async function sumBalances(db: Db, limit: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`with
    taken as (delete from payee_unsummed where (transaction_id, position) in (
        select transaction_id, position from payee_unsummed limit ${limit} for update skip locked)
      returning owner, account, amount),
    summed as (insert into payee_balances as kept (owner, account, amount)
      select owner, account, sum(amount)::bigint from taken
      group by owner, account order by owner, account
      on conflict (owner, account) do update set amount = kept.amount + excluded.amount)
    select count(*) as count from taken`)
  return count
}

/** Balances that differ from the ledger, over all of it: for the check of the books. */
export async function wrongBalances(
  db: Db,
): Promise<{ owner: PayeeId; found: Cents; expected: Cents }[]> {
  return await db.rows(sql`select owner, coalesce(k.amount, 0)::bigint as found,
      coalesce(e.amount, 0)::bigint as expected
    from (select owner, account, sum(amount) as amount from (
          select owner, account, amount from payee_balances
          union all select owner, account, amount from payee_unsummed) parts
        group by owner, account) k
      full join (select owner, account, sum(amount) as amount from ledger_entries
        where account in ('seller_payable', 'affiliate_payable')
        group by owner, account) e using (owner, account)
    where coalesce(k.amount, 0) <> coalesce(e.amount, 0) order by owner`)
}

/** Lines that differ from the ledger and the payouts: for the check of the books. */
export async function wrongUnpaidLines(
  db: Db,
): Promise<{ transaction_id: TransactionId; is_listed: boolean; is_unpaid: boolean }[]> {
  return await db.rows(sql`select transaction_id, u.owner is not null as is_listed,
      l.owner is not null as is_unpaid
    from unpaid_lines u full join (select * from payee_lines l
        where not exists (select 1 from payout_lines p
          where p.transaction_id = l.transaction_id and p.position = l.position)) l
      using (transaction_id, position)
    where (u.owner, u.account, u.at, u.event, u.amount, u.sale)
      is distinct from (l.owner, l.account, l.at, l.event, l.amount, l.sale)
    order by transaction_id limit 100`)
}
