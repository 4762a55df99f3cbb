import * as billing from '#domain/billing'
import { lockOwnListing } from '#flows/app-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { type EmailId, mintId, type OrderId } from '#platform/ids'
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
  const { allowed, reset_seconds } = await world.limits.consume(RESENDS, order_id)
  if (!allowed) return { outcome: 'too_often', retry_after: reset_seconds }
  const id = mintId(world.random, 'email')
  await world.db.tx(async (tx) => {
    if (by) await lockOwnListing(tx, by.actor, (await billing.getOrder(tx, order_id)).app_id)
    await queueReceipt(world, tx, { id, order_id, cause: `resend:${id}` })
    if (!by) return
    const { actor, reason } = by
    await audit(tx, world.clock.now(), {
      actor,
      action: 'email.resent',
      subject: id,
      detail: { order_id, reason },
    })
  })
  return { outcome: 'sent' }
}

async function queueReceipt(
  world: World,
  tx: Db,
  { id, order_id, cause }: { id: EmailId; order_id: OrderId; cause: string },
): Promise<void> {
  const { invoice_id } = await billing.getOrder(tx, order_id)
  const email = { id, cause, kind: 'receipt', subject_id: invoice_id } as const
  await queueEmail(tx, world.clock.now(), world.jobs, email)
}
