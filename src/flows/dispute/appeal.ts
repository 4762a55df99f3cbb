import { formatMoney } from '#design/money'
import * as payments from '#domain/payments'
import { balanceOfCharge, excessOf } from '#flows/charge-balances'
import type { LockedCharge } from '#flows/locked-charge'
import { partsOf } from '#flows/reversed'
import type { World } from '#flows/world'
import { type AlarmKind, raiseAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import { cents, ZERO } from '#platform/money'
import { bookAppealLost, bookAppealWon } from './book.ts'
import { notifySeller } from './notify.ts'

/** The processor's event that the bank has decided. */
export type DisputeDecided = Extract<payments.ProcessorEvent, { kind: 'dispute_closed' }>

/**
 * An appeal reversed the outcome. It is booked once, as an appeal is the bank's final decision; a
 * license that ended with the loss stays canceled. A loss takes what refunds have left since the
 * dispute was won. The processor has no status for a dispute that is reversed a second time:
 * nothing is booked, and an alarm asks staff to settle it by hand.
 */
export async function settleAppeal(
  world: World,
  tx: Db,
  facts: { dispute: payments.Dispute; disputed: LockedCharge; event: DisputeDecided },
): Promise<void> {
  const { dispute, disputed, event } = facts
  const { outcome: status, at: reported_at } = event
  const { now } = disputed.locked
  const { id, amount } = dispute
  const text = `Dispute ${id} over ${formatMoney(amount)} was ${status} on appeal.`
  const alert = (kind: AlarmKind, what: string) =>
    raiseAlarm(tx, world.random, now, {
      kind,
      subject: id,
      message: `${text} ${what}`,
      href: `/admin/sales/${disputed.invoice.id}/`,
    })
  if (dispute.appeal) {
    const what = 'It was already decided on appeal, so it is not recorded. Resolve it manually.'
    return await alert('dispute_reversed', what)
  }
  if (status === 'lost') {
    const reopened = { ...dispute, ...(await partsOf(tx, disputed, amount)) }
    await payments.changeParts(tx, reopened)
    await bookAppealLost(world, tx, reopened, disputed)
    const { kind, what } = await lossAlarm(tx, reopened, disputed)
    await alert(kind, what)
  } else {
    await bookAppealWon(world, tx, dispute, disputed)
    await alert('dispute_appeal', await winText(tx, dispute, disputed))
  }
  await payments.closeDispute(tx, now, { id, status, reported_at, is_appeal: true })
  await notifySeller(world, tx, now, { kind: 'dispute_closed', id, status })
}

/**
 * The alarm about a loss on appeal: its kind, and what staff have to know. If the buyer received an
 * excess by the loss, the alarm asks for it, and ends when it is settled.
 */
async function lossAlarm(
  tx: Db,
  { amount, owed }: payments.ReportedDispute,
  { charge, invoice }: LockedCharge,
): Promise<{ kind: AlarmKind; what: string }> {
  const excess = cents(Math.min(owed, await excessOf(tx, { charge_id: charge.id, ...invoice })))
  const charged = owed < amount ? `${formatMoney(cents(amount - owed))} of it` : 'the cost only'
  const booked = `The seller’s balance was charged with ${charged}, and the license was canceled.`
  if (excess === ZERO) return { kind: 'dispute_appeal', what: booked }
  const ask =
    `${formatMoney(excess)} of it had been refunded: ask the bank to return it, or the buyer ` +
    'to repay it, and record it in Cases.'
  return { kind: 'dispute_in_excess', what: `${ask} ${booked}` }
}

/** What staff have to know of a win on appeal, and of what its buyer is owed after it. */
async function winText(
  tx: Db,
  { amount, owed }: payments.Dispute,
  { charge, invoice }: LockedCharge,
): Promise<string> {
  const stays = 'The license stays canceled.'
  if (owed === ZERO) return `The money was returned to the seller. ${stays}`
  const balance = await balanceOfCharge(tx, { charge_id: charge.id, ...invoice })
  const credited =
    owed < amount ? `${formatMoney(cents(amount - owed))} of it and the cost` : 'the cost only'
  return [
    `${formatMoney(owed)} of it had been refunded and was returned to Purser.`,
    ...(balance < ZERO
      ? [`The buyer is owed ${formatMoney(cents(0 - balance))}: pay it, and record it in Cases.`]
      : []),
    `The seller’s balance was credited with ${credited}. ${stays}`,
  ].join(' ')
}
