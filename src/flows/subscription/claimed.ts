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

/** Reads the current state of claimed subscriptions with one statement, in the same order. */
export async function findClaimed(
  world: World,
  ids: readonly SubscriptionId[],
  db: Db = world.db,
): Promise<Claimed[]> {
  const rows = await db.rows<ClaimedRow>(sql`select ${licensing.PAUSABLE},
      ${billing.SUBSCRIPTION_AS_JSON} as subscription,
      ${apps.appAsJson(sql`s.app_id`)} as app,
      ${catalog.priceAsJson(sql`s.price_id`)} as price,
      ${billing.openInvoiceAsJson(sql`s.id`)} as open,
      users.email_normalized, users.locked_at
    from unnest(${[...ids]}::text[]) with ordinality as claimed (id, place)
      join subscriptions s on s.id = claimed.id
      join licenses on licenses.id = s.license_id
      join users on users.id = licenses.user_id
    order by claimed.place`)
  return rows.map((row) => claimedIn(world, row))
}

function claimedIn(world: World, row: ClaimedRow): Claimed {
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

/** Like `findClaimed`, with the subscriptions and licenses locked until the transaction ends. */
export async function lockClaimed(
  world: World,
  tx: Db,
  ids: readonly SubscriptionId[],
): Promise<Claimed[]> {
  await tx.rows(sql`select s.id
    from subscriptions s join licenses on licenses.id = s.license_id
    where s.id = any(${[...ids]}::text[]) order by s.id for update of s, licenses`)
  // Read once all are locked: another flow may have opened an invoice while this one waited.
  return await findClaimed(world, ids, tx)
}
