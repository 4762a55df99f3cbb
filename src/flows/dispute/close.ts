import { formatMoney } from '#design/money'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { balanceOfCharge, excessOf } from '#flows/charge-balances'
import { reduceExcess } from '#flows/excess'
import { type LockedCharge, lockCharge } from '#flows/locked-charge'
import { endLicense, resume } from '#flows/locked-license'
import { isRefundUndecided, leftAtBank, partsOf } from '#flows/reversed'
import type { World } from '#flows/world'
import { type AlarmKind, raiseAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { cents, ZERO } from '#platform/money'
import { factsOf, notifySeller } from './disputed.ts'
import { bookOpening } from './open.ts'

type Closed = Extract<payments.ProcessorEvent, { kind: 'dispute_closed' }>

/**
 * The bank has decided. `later` while the dispute itself is not known, or a refund of its charge
 * waits for its answer. A decision from before the latest change is ignored.
 */
export async function disputeClosed(
  world: World,
  tx: Db,
  event: Closed,
): Promise<'done' | 'later'> {
  const found = await payments.findDispute(tx, event.dispute_id)
  if (!found) return 'later'
  const disputed = await lockCharge(world, tx, found.charge_id)
  const stored = await payments.lockDispute(tx, found.id)
  const { now } = disputed.locked
  if (event.at > now) return 'later'
  const { outcome } = event
  // What the bank takes depends on what refunds have left.
  if (outcome === 'lost' && (await isRefundUndecided(tx, disputed))) return 'later'
  // An inquiry that is not lost closes. It took nothing, so a later decision is no appeal.
  const wasInquiry = payments.isInquiry(stored)
  const status = wasInquiry && outcome === 'won' ? ('inquiry_closed' as const) : outcome
  if (stored.status === status || event.at < stored.reported_at) return 'done'
  const dispute = wasInquiry ? ({ ...stored, status: 'inquiry', closed_at: null } as const) : stored
  if (dispute.closed_at) return await bookAppeal(world, tx, { dispute, disputed, event })
  if (status === 'lost') await bookLoss(world, tx, dispute, disputed)
  else if (status === 'won') await bookWin(world, tx, dispute, disputed)
  const decision = { id: dispute.id, status, reported_at: event.at, is_appeal: false }
  await payments.closeDispute(tx, now, decision)
  if (status !== 'lost') await resumeUnlessDisputed(tx, disputed)
  await notifySeller(world, tx, now, { kind: 'dispute_closed', id: dispute.id, status })
  return 'done'
}

/**
 * An appeal reversed the outcome. It is booked once, as an appeal is the bank's final decision; a
 * license that ended with the loss stays canceled. A loss takes what refunds have left since the
 * dispute was won. The processor has no status for a dispute that is reversed a second time:
 * nothing is booked, and an alarm asks staff to settle it by hand.
 */
async function bookAppeal(
  world: World,
  tx: Db,
  facts: { dispute: payments.Dispute; disputed: LockedCharge; event: Closed },
): Promise<'done'> {
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
    await alert('dispute_reversed', what)
    return 'done'
  }
  if (status === 'lost') {
    const reopened = { ...dispute, ...(await partsOf(tx, disputed, amount)) }
    await payments.changeParts(tx, reopened)
    const posting = ledger.appealOpened(factsOf(reopened, disputed))
    await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
    await bookLoss(world, tx, reopened, disputed)
    const { kind, what } = await lossAlarm(tx, reopened, disputed)
    await alert(kind, what)
  } else {
    const posting = ledger.appealWon(await lossOf(tx, dispute, disputed))
    await ledger.post(tx, now, mintId(world.random, 'txn'), posting)
    await bookWin(world, tx, dispute, disputed)
    await alert('dispute_appeal', await winText(tx, dispute, disputed))
  }
  await payments.closeDispute(tx, now, { id, status, reported_at, is_appeal: true })
  await notifySeller(world, tx, now, { kind: 'dispute_closed', id, status })
  return 'done'
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

/** Reverses everything that the opening took. */
async function bookWin(world: World, tx: Db, dispute: payments.Dispute, disputed: LockedCharge) {
  const posting = ledger.disputeWon(factsOf(dispute, disputed))
  await ledger.post(tx, disputed.locked.now, mintId(world.random, 'txn'), posting)
  if (dispute.owed > 0) await reduceExcess(world, tx, disputed)
}

/**
 * The license resumes with the same key, unless another charge of it is disputed, or staff
 * suspended it.
 */
async function resumeUnlessDisputed(tx: Db, { locked }: LockedCharge): Promise<void> {
  const { license } = locked
  if (license.status !== 'paused' || license.paused_for !== 'dispute') return
  if ((await payments.countOpenDisputes(tx, license.license_id)) > 0) return
  await resume(tx, locked)
}

/**
 * The money is lost: the sale is reversed, and the license ends, whatever was paid for it since.
 */
async function bookLoss(world: World, tx: Db, dispute: payments.Dispute, disputed: LockedCharge) {
  const { locked } = disputed
  const taken =
    dispute.status === 'inquiry' ? await openFromInquiry(world, tx, dispute, disputed) : dispute
  const lost = ledger.disputeLost(await lossOf(tx, taken, disputed))
  await ledger.post(tx, locked.now, mintId(world.random, 'txn'), lost)
  if (locked.license.status !== 'canceled') await endLicense(tx, locked, 'dispute_lost')
}

/**
 * Opens the dispute that an inquiry became without being reported as one. Refunds since have
 * reduced what the bank can take.
 */
async function openFromInquiry(
  world: World,
  tx: Db,
  inquiry: payments.Dispute,
  disputed: LockedCharge,
): Promise<payments.ReportedDispute> {
  const left = await leftAtBank(tx, disputed)
  const amount = left > 0 ? cents(Math.min(inquiry.amount, left)) : inquiry.amount
  const parts = await partsOf(tx, disputed, amount)
  const dispute = { ...inquiry, ...parts, status: 'open' } as const
  await payments.saveDispute(tx, dispute)
  await bookOpening(world, tx, dispute, disputed)
  return dispute
}

/** The facts of a loss, for the ledger. */
async function lossOf(tx: Db, dispute: payments.ReportedDispute, disputed: LockedCharge) {
  const { affiliate_id, tax_quote_id } = disputed.invoice
  const { state } = await tax.getQuote(tx, tax_quote_id)
  const { commission } = dispute
  return { ...factsOf(dispute, disputed), state, affiliate_id, commission }
}
