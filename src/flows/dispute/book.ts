import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { reduceExcess } from '#flows/excess'
import type { LockedCharge } from '#flows/locked-charge'
import { endLicense, suspend } from '#flows/locked-license'
import { leftAtBank, partsOf } from '#flows/reversed'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { cents } from '#platform/money'

/** The bank took the money: it is booked, and the license is suspended. */
export async function bookOpening(
  world: World,
  tx: Db,
  dispute: payments.ReportedDispute,
  disputed: LockedCharge,
): Promise<void> {
  const { locked } = disputed
  const posting = ledger.disputeOpened(factsOf(dispute, disputed))
  await ledger.post(tx, locked.now, mintId(world.random, 'txn'), posting)
  const { status } = locked.license
  // A suspended license stays suspended for its own cause; this dispute counts when it would
  // resume.
  if (status === 'canceled' || status === 'paused') return
  await suspend(tx, locked, { trigger: 'disputed', paused_for: 'dispute' })
}

/** The bank returned the money: everything that the opening took is reversed. */
export async function bookWin(
  world: World,
  tx: Db,
  dispute: payments.Dispute,
  disputed: LockedCharge,
): Promise<void> {
  const posting = ledger.disputeWon(factsOf(dispute, disputed))
  await ledger.post(tx, disputed.locked.now, mintId(world.random, 'txn'), posting)
  if (dispute.owed > 0) await reduceExcess(world, tx, disputed)
}

/**
 * The money is lost: the sale is reversed, and the license ends, whatever was paid for it since.
 */
export async function bookLoss(
  world: World,
  tx: Db,
  dispute: payments.Dispute,
  disputed: LockedCharge,
): Promise<void> {
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

/** The bank reversed its decision for the seller: it takes the money again. */
export async function bookAppealLost(
  world: World,
  tx: Db,
  dispute: payments.Dispute,
  disputed: LockedCharge,
): Promise<void> {
  const posting = ledger.appealOpened(factsOf(dispute, disputed))
  await ledger.post(tx, disputed.locked.now, mintId(world.random, 'txn'), posting)
  await bookLoss(world, tx, dispute, disputed)
}

/** The bank reversed its decision for the buyer; a license that ended with it stays canceled. */
export async function bookAppealWon(
  world: World,
  tx: Db,
  dispute: payments.Dispute,
  disputed: LockedCharge,
): Promise<void> {
  const posting = ledger.appealWon(await lossOf(tx, dispute, disputed))
  await ledger.post(tx, disputed.locked.now, mintId(world.random, 'txn'), posting)
  await bookWin(world, tx, dispute, disputed)
}

/** The facts of a loss, for the ledger. */
async function lossOf(tx: Db, dispute: payments.ReportedDispute, disputed: LockedCharge) {
  const { affiliate_id, tax_quote_id } = disputed.invoice
  const { state } = await tax.getQuote(tx, tax_quote_id)
  const { commission } = dispute
  return { ...factsOf(dispute, disputed), state, affiliate_id, commission }
}

/** The facts of a dispute, for the ledger. */
function factsOf(
  dispute: payments.ReportedDispute,
  { invoice }: LockedCharge,
): ledger.DisputeFigures {
  const { id: dispute_id, amount, owed, tax } = dispute
  return {
    dispute_id,
    seller_id: invoice.seller_id,
    user_id: invoice.user_id,
    amount: cents(amount - owed - tax),
    tax,
    owed,
    cost: billing.DISPUTE_COST,
  }
}
