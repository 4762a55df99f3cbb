import type { World } from '#flows/world'
import type { AttemptId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * Audits that staff close a payment attempt, and whether they confirmed that nothing was charged.
 */
export async function auditAttemptClosed(
  { db, clock }: World,
  staff: StaffWithReason,
  facts: { attempt_id: AttemptId; nothing_charged: boolean },
): Promise<void> {
  const { attempt_id: subject, ...detail } = facts
  await recordStaffAction(db, clock.now(), staff, { action: 'attempt.closed', subject, detail })
}
