import * as ledger from '#domain/ledger'
import {
  balanceOfCharge,
  chargeBalances,
  chargesToRepay,
  divideAmong,
  type PartOfCharge,
} from '#flows/charge-balances'
import type { LockedCharge } from '#flows/locked-charge'
import { appTime, type World } from '#flows/world'
import { clearAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import { type ExcessRepaymentId, mintId, type UserId, type WriteOffId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'
import { sql } from '#platform/sql'

/**
 * Records which charges a settlement of a buyer's excess is of, the earliest first, and ends the
 * alarms that ask for what it settles. The owner is locked.
 */
export async function settleExcess(
  world: World,
  tx: Db,
  user_id: UserId,
  settlement: { id: ExcessRepaymentId | WriteOffId; amount: Cents },
): Promise<void> {
  const settled = divideAmong(await chargeBalances(tx, user_id), settlement.amount)
  await ledger.addExcessParts(tx, settlement.id, datedParts(world, settled))
  await endExcessAlarms(tx, world.clock.now(), user_id)
}

/** The parts of a booking, each at the time of its app. */
export function datedParts(world: World, parts: readonly PartOfCharge[]): ledger.ChargePart[] {
  return parts.map(({ charge_id, amount, clock_ahead }) => {
    return { charge_id, amount, at: appTime(world, { clock_ahead }) }
  })
}

/**
 * Follows a refund that the card returned, or a dispute that was won: its buyer received less than
 * was booked. Write-offs of the excess are reversed, so that the buyer is not owed them, and alarms
 * that ask for it end. The charge is locked.
 */
export async function reduceExcess(
  world: World,
  tx: Db,
  lockedCharge: LockedCharge,
): Promise<void> {
  await reverseWriteOffs(world, tx, lockedCharge)
  await endExcessAlarms(tx, lockedCharge.locked.now, lockedCharge.invoice.user_id)
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
async function endExcessAlarms(tx: Db, now: Date, user_id: UserId): Promise<void> {
  const open = (await chargesToRepay(tx, user_id)).map(({ charge_id }) => charge_id)
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
