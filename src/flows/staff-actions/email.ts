import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { requeueEmail } from '#platform/email-queue'
import type { EmailId } from '#platform/ids'

/** Resends a failed email. False if it was sent or is still being retried. */
export async function resendByStaff(
  { db, clock, jobs }: World,
  actor: ActorOf<'staff'>,
  id: EmailId,
): Promise<boolean> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    if (!(await requeueEmail(tx, now, jobs, id))) return false
    await audit(tx, now, { actor, action: 'email.resent', subject: id })
    return true
  })
}
