import type { World } from '#flows/world'
import { mintId } from '#platform/ids'
import { LETTERS, queueLetter } from '#platform/letters'
import type { Limit } from '#platform/limits'

const RESENDS: Limit = { name: 'receipt-resend', points: 5, seconds: 3600 }

/** Queues an order's receipt once more, a few times an hour at the most. */
export async function resendReceipt(world: World, order_id: string): Promise<'sent' | 'too_often'> {
  const { allowed } = await world.limits.take(RESENDS, order_id)
  if (!allowed) return 'too_often'
  const id = mintId(world.random, 'letter')
  const letter = { id, cause: `resend:${id}`, kind: 'receipt', subject_id: order_id }
  await world.db.tx((tx) => queueLetter(tx, world.clock.now(), world.jobs, letter))
  world.jobs.wake(LETTERS)
  return 'sent'
}
