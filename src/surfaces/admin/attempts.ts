import * as payments from '#domain/payments'
import { closeByHand, stuckBefore } from '#flows/payment'
import { auditAttemptClosed, type StaffWithReason } from '#flows/staff-actions'
import type { World } from '#flows/world'
import type { AttemptId } from '#platform/ids'

/** A page of the payment attempts that have been pending for more than an hour. */
export async function stuckAttempts(
  world: World,
  page: { limit: number; offset: number },
): Promise<payments.PendingAttempt[]> {
  return await payments.listStuck(world.db, { before: stuckBefore(world), ...page })
}

/** Closes a payment attempt as staff; returns the name of the note to show. */
export async function closeAttempt(
  world: World,
  staff: StaffWithReason,
  { attempt_id, nothing_charged }: { attempt_id: AttemptId; nothing_charged: boolean },
): Promise<string> {
  const attempt = await payments.findPendingById(world.db, attempt_id)
  if (!attempt) return 'nothing'
  await auditAttemptClosed(world, staff, { attempt_id, nothing_charged })
  const settled = await closeByHand(world, attempt, { nothing_charged })
  if (!settled) return 'unanswered'
  return settled.outcome === 'paid' ? 'was_charged' : 'attempt_closed'
}
