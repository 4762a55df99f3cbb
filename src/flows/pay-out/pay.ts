import * as ledger from '#domain/ledger'
import * as payouts from '#domain/payouts'
import { payeeTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { restoredAt } from '#platform/installation'
import type { Cents } from '#platform/money'
import { type PayoutOutcome, requestAndSettle } from './settle.ts'

/** The balances of a payee now. */
export async function readPayeeBalance(
  world: World,
  payee: payouts.Payee,
): Promise<payouts.PayeeBalance> {
  const now = await payeeTime(world, payee.owner)
  return await payouts.payeeBalance(world.db, now, payee)
}

/** A requested payout: to whom, why, and its smallest amount in cents. */
interface RequestedPayout extends payouts.Payee {
  cause: payouts.Payout['cause']
  /** By default the minimum of every payout. */
  minimum?: Cents
}

/** Pays out everything that is available to a payee, or returns why nothing is paid. */
export async function payOut(world: World, request: RequestedPayout): Promise<PayoutOutcome> {
  const now = await payeeTime(world, request.owner)
  const requested = await world.db.tx((tx) => recordPayoutRequest(world, tx, now, now, request), {
    patient: true,
  })
  return 'payout' in requested ? await requestAndSettle(world, requested.payout) : requested
}

/**
 * Records a payout with the lines that are available at `until`, inside the caller's transaction,
 * which needs a long timeout: a long history may have a million lines. Of concurrent calls one
 * takes the lines, and the others find none.
 */
export async function recordPayoutRequest(
  { random }: World,
  tx: Db,
  now: Date,
  until: Date,
  request: RequestedPayout,
): Promise<PayoutOutcome | { payout: payouts.Payout }> {
  const { owner, account, cause, minimum = payouts.MINIMUM } = request
  await ledger.lockOwner(tx, owner)
  if ((await restoredAt(tx)) || (await payouts.arePaused(tx, owner))) return { outcome: 'paused' }
  const payoutAccount = await payouts.findAccount(tx, owner)
  if (!payoutAccount?.is_ready) return { outcome: 'no_bank' }
  const open = await payouts.openPayoutOf(tx, request)
  if (open) return { outcome: 'in_progress', payout_id: open.id }
  const id = mintId(random, 'po')
  const bank = payouts.destinationOf(payoutAccount)
  const facts = { id, owner, account, cause, minimum, ...bank }
  const payout = await payouts.addPayout(tx, now, until, facts)
  if (!payout) return { outcome: 'too_little' }
  if (account === 'seller_payable') await payouts.recordGross(tx, id)
  const { amount } = payout
  const posting = ledger.payout({ payout_id: id, owner, account, amount })
  await ledger.post(tx, now, mintId(random, 'txn'), posting)
  return { payout }
}
