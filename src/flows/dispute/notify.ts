import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { type DisputeId, mintId } from '#platform/ids'

/** Queues an email to the seller about a dispute; one per cause. */
export async function notifySeller(
  { jobs, random }: World,
  tx: Db,
  now: Date,
  email: { kind: 'dispute_opened' | 'dispute_closed'; id: DisputeId; status: string },
): Promise<void> {
  const { kind, id, status } = email
  await queueEmail(tx, now, jobs, {
    id: mintId(random, 'email'),
    cause: `${kind}:${id}:${status}`,
    kind,
    subject_id: id,
  })
}
