import * as ledger from '#domain/ledger'
import type { LockedCharge } from '#flows/locked-charge'
import { appTime, type World } from '#flows/world'
import { clearAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import { type AppId, type ChargeId, type InvoiceId, mintId, type UserId } from '#platform/ids'
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
  return balanceIn(await toRepay(db, user_id), charge_id)
}

function balanceIn(balances: readonly ChargeBalance[], id: ChargeId): Cents {
  return balances.find(({ charge_id }) => charge_id === id)?.balance ?? ZERO
}

/** The charges of which a buyer is to repay something, with what it is, at most their balance. */
async function toRepay(db: Db, user_id: UserId): Promise<ChargeBalance[]> {
  const balances = await chargeBalances(db, user_id)
  const owed = sum(ZERO, ...balances.map(({ balance }) => balance))
  const charges = balances.map((each) => ({
    ...each,
    balance: cents(Math.min(each.balance, owed)),
  }))
  return charges.filter(({ balance }) => balance > ZERO)
}

/**
 * Divides an amount, in cents, among the charges with a positive balance, the earliest first. The
 * amount is no more than the sum of all balances: the negative ones reduce it.
 */
export function divideAmong(
  world: World,
  balances: Pick<ChargeBalance, 'charge_id' | 'balance' | 'clock_ahead'>[],
  total: Cents,
): ledger.ChargePart[] {
  let left: number = total
  return balances.flatMap(({ charge_id, balance, clock_ahead }) => {
    const amount = cents(Math.max(0, Math.min(left, balance)))
    left -= amount
    return amount > ZERO ? [{ charge_id, amount, at: appTime(world, { clock_ahead }) }] : []
  })
}

/**
 * Follows a refund that the card returned, or a dispute that was won: its buyer received less than
 * was booked. Write-offs of the excess are reversed, so that the buyer is not owed them, and alarms
 * that ask for it end. The charge is locked.
 */
export async function reduceExcess(world: World, tx: Db, locking: LockedCharge): Promise<void> {
  await reverseWriteOffs(world, tx, locking)
  await endExcessAlarms(tx, locking.locked.now, locking.invoice.user_id)
}

/** Reverses what was written off of a charge's excess, as far as its buyer would be owed it. */
async function reverseWriteOffs(
  { random }: World,
  tx: Db,
  { charge, invoice, locked }: LockedCharge,
): Promise<void> {
  const { user_id } = invoice
  const { now } = locked
  await ledger.lockOwner(tx, user_id)
  const written_off = await ledger.writtenOffOf(tx, charge.id)
  if (written_off === ZERO) return
  const balance = await balanceOfCharge(tx, { user_id, charge_id: charge.id })
  const total = cents(Math.max(0, Math.min(written_off, 0 - balance)))
  if (total === ZERO) return
  const reversal_id = mintId(random, 'wor')
  await ledger.addReversal(tx, now, { id: reversal_id, user_id, amount: total })
  const part = { charge_id: charge.id, amount: cents(0 - total), at: now }
  await ledger.addExcessParts(tx, reversal_id, [part])
  const posting = ledger.writeOffReversed({ reversal_id, user_id, total })
  await ledger.post(tx, now, mintId(random, 'txn'), posting)
}

/**
 * Ends the alarms that ask staff for what a buyer received in excess of a charge, where nothing is
 * left to repay of it: about refunds, and about disputes that were lost on appeal.
 */
export async function endExcessAlarms(tx: Db, now: Date, user_id: UserId): Promise<void> {
  const open = (await toRepay(tx, user_id)).map(({ charge_id }) => charge_id)
  const ended = await tx.rows<{ subject: string; is_refund: boolean }>(sql`
    select a.subject, a.kind = 'refund_in_excess' as is_refund
    from invoices i join charges c on c.invoice_id = i.id and c.id <> all(${open})
      cross join lateral (
        select 'refund_in_excess' as kind, processor_refund_id as subject from reissued_refunds
          where charge_id = c.id
        union all select 'dispute_in_excess', id from disputes
          where charge_id = c.id and appeal = 'lost') about
      join alarms a on (a.kind, a.subject) = (about.kind, about.subject) and a.resolved_at is null
    where i.user_id = ${user_id}`)
  for (const { subject, is_refund } of ended) {
    const kind = is_refund ? 'refund_in_excess' : 'dispute_in_excess'
    await clearAlarm(tx, now, { kind, subject })
  }
}
