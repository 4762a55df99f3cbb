import * as payments from '#domain/payments'
import { type LockedCharge, lockCharge } from '#flows/locked-charge'
import { resume } from '#flows/locked-license'
import { isRefundUndecided } from '#flows/reversed'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type DisputeDecided, settleAppeal } from './appeal.ts'
import { bookLoss, bookWin } from './book.ts'
import { notifySeller } from './notify.ts'

/**
 * The bank has decided. `later` while the dispute itself is not known, or a refund of its charge
 * waits for its answer. A decision from before the latest change is ignored.
 */
export async function disputeClosed(
  world: World,
  tx: Db,
  event: DisputeDecided,
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
  if (dispute.closed_at) {
    await settleAppeal(world, tx, { dispute, disputed, event })
    return 'done'
  }
  if (status === 'lost') await bookLoss(world, tx, dispute, disputed)
  else if (status === 'won') await bookWin(world, tx, dispute, disputed)
  const decision = { id: dispute.id, status, reported_at: event.at, is_appeal: false }
  await payments.closeDispute(tx, now, decision)
  if (status !== 'lost') await resumeUnlessDisputed(tx, disputed)
  await notifySeller(world, tx, now, { kind: 'dispute_closed', id: dispute.id, status })
  return 'done'
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
