import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { EMAIL_QUEUE } from '#platform/email-queue'
import { complete } from './complete.ts'

/** What an attempt came to. */
export type Settled =
  | { outcome: 'completed'; order_id: string }
  | { outcome: 'declined'; decline_code: payments.DeclineCode }
  | { outcome: 'action_required'; action_url: string }
  | { outcome: 'not_charged' }

/** Writes the processor's answer to an attempt. Said twice, the second time changes nothing. */
export async function settle(
  world: World,
  { id, cart_id }: Pick<payments.Attempt, 'id' | 'cart_id'>,
  answer: payments.ChargeAnswer,
): Promise<Settled> {
  const settled = await world.db.tx(async (tx): Promise<Settled> => {
    // The cart before its attempt, as `confirm` takes them: so nobody waits in a ring.
    const cart = await billing.lockCart(tx, cart_id)
    const attempt = await payments.lock(tx, id)
    if (!payments.isPending(attempt)) return told(attempt)
    const app = (await apps.find(tx, cart.app_id))!
    const now = appTime(world, app)
    await payments.record(tx, now, id, answer)
    if (answer.status === 'refused') {
      world.log.warn({ attempt_id: id, reason: answer.reason }, 'the processor refused a charge')
    }
    if (answer.status === 'succeeded') {
      await complete(world, tx, now, { attempt, cart, app, processor_charge_id: answer.charge_id })
    }
    return told({ ...attempt, ...answer } as payments.Attempt)
  })
  if (settled.outcome === 'completed') world.jobs.wake(EMAIL_QUEUE)
  return settled
}

/** The outcome that an attempt's row tells. */
export function told(attempt: payments.Attempt): Settled {
  if (attempt.status === 'succeeded') return { outcome: 'completed', order_id: attempt.order_id }
  if (attempt.status === 'declined') {
    return { outcome: 'declined', decline_code: attempt.decline_code! }
  }
  if (attempt.status === 'action_required') {
    return { outcome: 'action_required', action_url: attempt.action_url! }
  }
  return { outcome: 'not_charged' }
}
