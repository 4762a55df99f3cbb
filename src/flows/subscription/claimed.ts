import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import type { SubscriptionId } from '#platform/ids'
import type { JsonRow } from '#platform/json-row'
import { sql } from '#platform/sql'

/** A claimed subscription with its license, its app and its buyer, and what is due. */
export interface Claimed {
  subscription: billing.RunningSubscription
  license: licensing.PausableLicense
  app: apps.App
  email_normalized: string
  now: Date
  step: billing.NextStep
}

/** Reads a claimed subscription as it is now. */
export async function findClaimed(world: World, id: SubscriptionId): Promise<Claimed> {
  const { db } = world
  const subscription = await billing.findSubscription(db, id)
  const license = await licensing.findPausable(db, subscription.license_id)
  return await claimedOf(world, db, { subscription, license })
}

/** As `findClaimed`, with subscription and license locked until the transaction ends. */
export async function lockClaimed(world: World, tx: Db, id: SubscriptionId): Promise<Claimed> {
  const subscription = await billing.lockSubscription(tx, id)
  const license = await licensing.lockLicense(tx, subscription.license_id)
  return await claimedOf(world, tx, { subscription, license })
}

async function claimedOf(
  world: World,
  db: Db,
  { subscription, license }: Pick<Claimed, 'subscription' | 'license'>,
): Promise<Claimed> {
  const { app, email_normalized, locked_at } = await appAndBuyer(db, license)
  const now = appTime(world, app)
  // A person who disowned an account cannot sign in to turn anything off.
  const auto_renew = subscription.auto_renew && locked_at === null
  const step = billing.nextStep(now, { ...subscription, auto_renew }, license.status)
  return { subscription, license, app, email_normalized, now, step }
}

interface AppAndBuyer {
  app: JsonRow<apps.App>
  email_normalized: string
  locked_at: Date | null
}

async function appAndBuyer(db: Db, { app_id, user_id }: licensing.License) {
  const { app, ...buyer } = await db.one<AppAndBuyer>(sql`select
      ${apps.appAsJson(sql`${app_id}`)} as app, email_normalized, locked_at
    from users where id = ${user_id}`)
  return { app: apps.appOf(app), ...buyer }
}
