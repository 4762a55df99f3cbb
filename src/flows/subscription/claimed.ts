import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import type { SubscriptionId } from '#platform/ids'
import type { JsonRow } from '#platform/json-row'
import { sql } from '#platform/sql'

/** A subscription that a worker claimed, with its license, app and buyer, and what is due. */
export interface Claimed {
  subscription: billing.RunningSubscription
  license: licensing.PausableLicense
  app: apps.App
  /** The price of the current plan. */
  price: catalog.ProductPrice
  email_normalized: string
  /** The renewal that is not paid yet. */
  open: billing.Invoice | undefined
  now: Date
  step: billing.NextStep
}

interface ClaimedRow extends licensing.PausableLicense {
  subscription: JsonRow<billing.RunningSubscription>
  app: JsonRow<apps.App>
  price: catalog.ProductPrice
  open: JsonRow<billing.Invoice> | null
  email_normalized: string
  locked_at: Date | null
}

/** Reads the current state of a claimed subscription with one statement. */
export async function findClaimed(
  world: World,
  id: SubscriptionId,
  db: Db = world.db,
): Promise<Claimed> {
  const row = await db.one<ClaimedRow>(sql`select ${licensing.PAUSABLE},
      ${billing.SUBSCRIPTION_AS_JSON} as subscription,
      ${apps.appAsJson(sql`s.app_id`)} as app,
      ${catalog.priceAsJson(sql`s.price_id`)} as price,
      ${billing.openInvoiceAsJson(sql`s.id`)} as open,
      users.email_normalized, users.locked_at
    from subscriptions s join licenses on licenses.id = s.license_id
      join users on users.id = licenses.user_id
    where s.id = ${id}`)
  const { subscription: json, app: app_json, price, open, ...more } = row
  const { email_normalized, locked_at, ...license } = more
  const subscription = billing.subscriptionIn(json)
  const app = apps.appOf(app_json)
  const now = appTime(world, app)
  // The owner of a disowned account cannot sign in to turn auto-renew off.
  const auto_renew = subscription.auto_renew && locked_at === null
  return {
    subscription,
    license,
    app,
    price,
    email_normalized,
    open: open ? billing.invoiceOf(open) : undefined,
    now,
    step: billing.nextStep(now, { ...subscription, auto_renew }, license.status),
  }
}

/** Like `findClaimed`, with the subscription and license locked until the transaction ends. */
export async function lockClaimed(world: World, tx: Db, id: SubscriptionId): Promise<Claimed> {
  await tx.one(sql`select s.id
    from subscriptions s join licenses on licenses.id = s.license_id
    where s.id = ${id} for update of s, licenses`)
  // Read once both are locked: another flow may have opened an invoice while this one waited.
  return await findClaimed(world, id, tx)
}
