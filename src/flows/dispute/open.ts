import * as payments from '#domain/payments'
import { lockCharge } from '#flows/locked-charge'
import { isRefundUndecided, partsOf } from '#flows/reversed'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { bookOpening } from './book.ts'
import { notifySeller } from './notify.ts'

type DisputeOpened = Extract<payments.ProcessorEvent, { kind: 'dispute_opened' }>

/**
 * A dispute or an inquiry was opened, or an inquiry became a dispute. `later` while the charge is
 * not on our books yet, or a refund of it waits for its answer.
 */
export async function disputeOpened(
  world: World,
  tx: Db,
  event: DisputeOpened,
): Promise<'done' | 'later'> {
  const of = { processor: world.processor.name, id: event.charge_id }
  const found = await payments.findCharge(tx, of)
  if (!found) return 'later'
  const disputed = await lockCharge(world, tx, found.id)
  const known = await payments.findDispute(tx, event.dispute_id)
  if (known && !mayBecome(known, event)) return 'done'
  if (event.at > disputed.locked.now || (await isRefundUndecided(tx, disputed))) return 'later'
  const { amount, reason, due_at } = event
  const dispute: payments.ReportedDispute = {
    ...(await partsOf(tx, disputed, amount)),
    id: known?.id ?? mintId(world.random, 'dsp'),
    charge_id: found.id,
    processor_dispute_id: event.dispute_id,
    reason,
    status: event.is_inquiry ? 'inquiry' : 'open',
    due_at,
    opened_at: known?.opened_at ?? event.at,
    reported_at: event.at,
  }
  await payments.saveDispute(tx, dispute)
  if (dispute.status === 'open') await bookOpening(world, tx, dispute, disputed)
  await notifySeller(world, tx, disputed.locked.now, { kind: 'dispute_opened', ...dispute })
  return 'done'
}

/** Whether an event changes a known dispute: only an inquiry can become one, even after its end. */
function mayBecome(
  { status, reported_at }: payments.Dispute,
  { at, is_inquiry }: DisputeOpened,
): boolean {
  if (status === 'inquiry') return at >= reported_at
  return status === 'inquiry_closed' && at > reported_at && !is_inquiry
}
