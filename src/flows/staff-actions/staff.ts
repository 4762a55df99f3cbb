import * as identity from '#domain/identity'
import { audit } from '#platform/audit'
import type { Db } from '#platform/db'

/** Somebody of the staff at work, and why. */
export interface Staff {
  user_id: string
  request_id: string
  reason: string
}

/** Writes a staff action into the audit log; throws for anybody who is not staff. */
export async function recordStaffAction(
  tx: Db,
  now: Date,
  { user_id, request_id, reason }: Staff,
  done: { action: string; subject: string; detail?: Record<string, unknown> },
): Promise<void> {
  const user = await identity.findUser(tx, user_id)
  if (!user?.is_operator) throw new Error(`${user_id} is not of the staff`)
  const { action, subject, detail } = done
  await audit(tx, now, {
    actor: user_id,
    action,
    subject,
    request_id,
    detail: { ...detail, reason },
  })
}
