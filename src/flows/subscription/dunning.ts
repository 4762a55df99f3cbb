import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { mintId } from '#platform/ids'

/** Moves an unpaid renewal one step along the dunning schedule. */
export async function advanceDunning(
  world: World,
  tx: Db,
  now: Date,
  subscription: billing.Subscription,
  last_decline: string | null,
): Promise<void> {
  const { license_id } = subscription
  const { status } = await licensing.lockLicense(tx, license_id)
  if (licensing.isRunning(status)) {
    // Auto-renew was turned off while the payment was pending: nothing is owed.
    if (!subscription.auto_renew) {
      await endSubscription(tx, now, subscription, 'period_ended')
      return
    }
    await licensing.transition(tx, now, { license_id, trigger: 'renewal_failed', to: 'past_due' })
    const { next_at, retries } = billing.firstFailure(now)
    const change = { next_at, retries, last_decline, past_due_since: now }
    await billing.changeSubscription(tx, subscription, change)
    await notify(world, tx, now, 'payment_failed', subscription, `${now.getTime()}`)
    await notify(world, tx, now, 'seller_failed_renewal', subscription, `${now.getTime()}`)
    return
  }
  if (!licensing.isInDunning(status)) {
    await billing.changeSubscription(tx, subscription, { last_decline, next_at: null })
    return
  }
  const next = billing.nextRetry(subscription.past_due_since!, subscription.retries)
  if (next.status === 'canceled') {
    await endSubscription(tx, now, subscription, 'dunning_exhausted')
    await notify(world, tx, now, 'license_ended', subscription, `${now.getTime()}`)
    return
  }
  if (next.status !== status) {
    await licensing.transition(tx, now, { license_id, trigger: 'retries_ended', to: next.status })
    await notify(world, tx, now, 'payment_failed', subscription, `${now.getTime()}`)
  }
  const { next_at, retries } = next
  await billing.changeSubscription(tx, subscription, { next_at, retries, last_decline })
}

/** Ends a license and every further charge for it. */
export async function endSubscription(
  tx: Db,
  now: Date,
  subscription: billing.Subscription,
  trigger: 'dunning_exhausted' | 'period_ended',
): Promise<void> {
  const { license_id } = subscription
  const owed = await billing.openInvoiceOf(tx, subscription.id)
  if (owed) await billing.voidInvoice(tx, owed.id)
  await licensing.transition(tx, now, { license_id, trigger, to: 'canceled' })
  await billing.changeSubscription(tx, subscription, { next_at: null, ended_at: now })
}

/** Queues an email to the subscriber or the seller; one per cause. */
export async function notify(
  { jobs, random }: World,
  tx: Db,
  now: Date,
  kind:
    | 'payment_failed'
    | 'seller_failed_renewal'
    | 'license_ended'
    | 'trial_ending'
    | 'renewal_reminder',
  { id, license_id }: Pick<billing.Subscription, 'id' | 'license_id'>,
  cause: string,
): Promise<void> {
  await queueEmail(tx, now, jobs, {
    id: mintId(random, 'email'),
    cause: `${kind}:${id}:${cause}`,
    kind,
    subject_id: license_id,
  })
}
