import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { endLicense, resume } from '#flows/hold'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Disputed, factsOf, holdCharge, tellSeller } from './disputed.ts'
import { begin } from './open.ts'

type Closed = Extract<payments.ProcessorEvent, { kind: 'dispute_closed' }>

/** The bank has decided. `later` while nothing is known of the dispute itself. */
export async function disputeClosed(
  world: World,
  tx: Db,
  event: Closed,
): Promise<'done' | 'later'> {
  const found = await payments.findDispute(tx, event.dispute_id)
  if (!found) return 'later'
  const disputed = await holdCharge(world, tx, found.charge_id)
  const dispute = await payments.lockDispute(tx, found.id)
  const { now } = disputed.held
  if (event.at > now) return 'later'
  if (dispute.closed_at) return 'done'
  const { outcome: status } = event
  if (status === 'lost') await lose(world, tx, dispute, disputed)
  else if (dispute.status === 'open') await win(world, tx, dispute, disputed)
  await payments.closeDispute(tx, now, { id: dispute.id, status })
  if (status === 'won') await resumeUnlessDisputed(tx, disputed)
  await tellSeller(world, tx, now, { kind: 'dispute_closed', id: dispute.id, status })
  return 'done'
}

/** Everything that the opening took is given back; an inquiry took nothing. */
async function win(world: World, tx: Db, dispute: payments.Dispute, disputed: Disputed) {
  const posting = ledger.disputeWon(factsOf(dispute, disputed))
  await ledger.post(tx, disputed.held.now, mintId(world.random, 'txn'), posting)
}

/** The license goes on with the same key, unless another charge of it is disputed, or it is held. */
async function resumeUnlessDisputed(tx: Db, { held }: Disputed): Promise<void> {
  const { license } = held
  if (license.status !== 'paused' || license.paused_for !== 'dispute') return
  if ((await payments.countOpenDisputes(tx, license.license_id)) > 0) return
  await resume(tx, held)
}

/** The money is gone: the sale is undone, and the license ends, whatever was paid for it since. */
async function lose(world: World, tx: Db, dispute: payments.Dispute, disputed: Disputed) {
  const { invoice, held } = disputed
  if (dispute.status === 'inquiry') {
    await payments.keepDispute(tx, { ...dispute, status: 'open' })
    await begin(world, tx, dispute, disputed)
  }
  const { state } = await tax.findQuote(tx, invoice.tax_quote_id)
  const { affiliate_id } = invoice
  const { commission } = dispute
  const facts = { ...factsOf(dispute, disputed), state, affiliate_id, commission }
  await ledger.post(tx, held.now, mintId(world.random, 'txn'), ledger.disputeLost(facts))
  if (held.license.status !== 'canceled') await endLicense(tx, held, 'dispute_lost')
}
