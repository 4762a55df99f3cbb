import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { lockOwnListing } from '#flows/app-access'
import { appTime, type World } from '#flows/world'
import type { Actor } from '#platform/audit'
import type { Db } from '#platform/db'
import type { LicenseId } from '#platform/ids'

/** A license with its subscription, both locked until the transaction ends. */
export interface LockedLicense {
  license: licensing.PausableLicense
  subscription: billing.RunningSubscription | undefined
  app: apps.App
  now: Date
}

/** Locks a license: its subscription first, the order in which every flow locks. */
export async function lockLicense(
  world: World,
  tx: Db,
  license_id: LicenseId,
): Promise<LockedLicense> {
  const found = await billing.subscriptionOf(tx, license_id)
  const locked = found && (await billing.lockSubscription(tx, found.id))
  // It may have ended while this waited: then the license has none.
  const subscription = locked?.ended_at ? undefined : locked
  const license = await licensing.lockLicense(tx, license_id)
  const app = await apps.get(tx, license.app_id)
  return { license, subscription, app, now: appTime(world, app) }
}

/**
 * Like `lockLicense`, for an action of this actor. Throws `not_found` for a member of a seller who
 * transferred the app since the request was authorized (decision 100).
 */
export async function lockLicenseFor(
  world: World,
  tx: Db,
  actor: Actor,
  license_id: LicenseId,
): Promise<LockedLicense> {
  if (actor.kind === 'seller') {
    const { app_id } = await licensing.getLicense(tx, license_id)
    await lockOwnListing(tx, actor, app_id)
  }
  return await lockLicense(world, tx, license_id)
}

/** Suspends a license that is paid or past due; nothing is charged for it until it resumes. */
export async function suspend(
  tx: Db,
  { license, subscription, now }: LockedLicense,
  cause: { trigger: 'disputed' | 'suspended'; paused_for: 'dispute' | 'staff' },
): Promise<void> {
  await licensing.transition(tx, now, { license_id: license.license_id, to: 'paused', ...cause })
  if (subscription) await billing.changeSubscription(tx, subscription, { next_at: null })
}

/**
 * Returns a license to the status that its suspension interrupted. What became due during the
 * suspension is due now.
 */
export async function resume(tx: Db, { license, subscription, now }: LockedLicense): Promise<void> {
  await licensing.transition(tx, now, { license_id: license.license_id, trigger: 'resumed' })
  if (!subscription) return
  const due = billing.dueAgain(now, subscription, license.paused_from!)
  await billing.changeSubscription(tx, subscription, due)
}

/** Ends a license at once, and every further charge for it. */
export async function endLicense(
  tx: Db,
  { license, subscription, now }: LockedLicense,
  trigger: 'refunded' | 'dispute_lost' | 'account_deleted',
): Promise<void> {
  const { license_id } = license
  await licensing.transition(tx, now, { license_id, trigger, to: 'canceled' })
  if (!subscription) return
  const owed = await billing.openInvoiceOf(tx, subscription.id)
  if (owed) await billing.voidInvoice(tx, owed.id)
  await billing.changeSubscription(tx, subscription, { next_at: null, ended_at: now })
}
