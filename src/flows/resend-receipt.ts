import * as billing from '#domain/billing'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { queueEmail } from '#platform/email-queue'
import { mintId, type OrderId } from '#platform/ids'
import type { Limit } from '#platform/limits'

const RESENDS: Limit = { name: 'receipt-resend', points: 5, seconds: 3600 }

/** The outcome of requesting a receipt again; `retry_after` is in seconds. */
export type Resent = { outcome: 'sent' } | { outcome: 'too_often'; retry_after: number }

/** Queues an order's receipt again, a few times an hour at most. A seller's request is audited. */
export async function resendReceipt(
  world: World,
  order_id: OrderId,
  by?: { actor: ActorOf<'seller'>; reason: string },
): Promise<Resent> {
  const { allowed, reset_seconds } = await world.limits.take(RESENDS, order_id)
  if (!allowed) return { outcome: 'too_often', retry_after: reset_seconds }
  await queueReceipt(world, order_id, by)
  return { outcome: 'sent' }
}

/** Queues an order's receipt with the key that replaced another: always, as its buyer needs it. */
export async function emailNewKey(world: World, order_id: OrderId): Promise<void> {
  await queueReceipt(world, order_id)
}

async function queueReceipt(
  world: World,
  order_id: OrderId,
  by?: { actor: ActorOf<'seller'>; reason: string },
): Promise<void> {
  const { invoice_id } = await billing.findOrder(world.db, order_id)
  const id = mintId(world.random, 'email')
  const email = { id, cause: `resend:${id}`, kind: 'receipt', subject_id: invoice_id } as const
  const now = world.clock.now()
  await world.db.tx(async (tx) => {
    await queueEmail(tx, now, world.jobs, email)
    if (!by) return
    const { actor, reason } = by
    await audit(tx, now, {
      actor,
      action: 'email.resent',
      subject: id,
      detail: { order_id, reason },
    })
  })
}
