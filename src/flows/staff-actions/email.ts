import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { requeueEmail } from '#platform/email-queue'
import type { EmailId } from '#platform/ids'

/** Resends an email whose attempts all failed. False if it was sent or is still being retried. */
export async function resendByStaff(
  { db, clock, jobs }: World,
  actor: ActorOf<'staff'>,
  id: EmailId,
): Promise<boolean> {
  return await db.tx(async (tx) => {
    if (!(await requeueEmail(tx, jobs, id))) return false
    await audit(tx, clock.now(), { actor, action: 'email.resent', subject: id })
    return true
  })
}
