import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { lockOwnListing } from '#flows/app-access'
import { appTime, type World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'
import { type AppId, type LicenseId, mintId, type ProductId } from '#platform/ids'

/** A plan that a seller gives to a person. */
export interface GivenPlan {
  app_id: AppId
  email: string
  email_normalized: string
  product_id: ProductId
  /** When it ends; null if it never ends. */
  ends_at: Date | null
  reason: string
}

/** The outcome of giving a plan. */
export type PlanGiven =
  | { outcome: 'given'; license_id: LicenseId }
  /** The person already has a live license for the app. */
  | { outcome: 'owned'; license: licensing.License }
  /** A purchase by this person is processing. */
  | { outcome: 'buying' }
  /** The plan is free, not for sale, or another app's. */
  | { outcome: 'no_plan' }
  | { outcome: 'past' }

/**
 * Gives a person a license of a plan that is never charged, with an account where they have none
 * (decision 110). They get an email with the key.
 */
export async function givePlan(
  world: World,
  actor: ActorOf<'seller'>,
  given: GivenPlan,
): Promise<PlanGiven> {
  const { random, keys } = world
  const { app_id, product_id, ends_at, reason } = given
  return await world.db.tx(async (tx) => {
    await lockOwnListing(tx, actor, app_id)
    const refused = await refusalOf(world, tx, given)
    if (refused) return refused
    const now = appTime(world, await apps.get(tx, app_id))
    const { email, email_normalized } = given
    const { user_id, made } = await identity.findOrAddUser(tx, world.clock.now(), {
      id: mintId(random, 'usr'),
      email,
      email_normalized,
      created_via: 'comp',
    })
    // An account with a license may have got this email since.
    const license = made ? undefined : await licensing.findLive(tx, given)
    if (license) return { outcome: 'owned', license }
    const license_id = mintId(random, 'lic')
    const comp = { license_id, app_id, user_id, product_id, ends_at }
    await licensing.grantComp(tx, now, { keys, random }, comp)
    const action = 'license.comped'
    const detail = { product_id, ends_at, reason }
    await audit(tx, now, { actor, action, subject: license_id, detail })
    await queueFreshEmail(tx, now, world, { kind: 'plan_given', subject_id: license_id })
    return { outcome: 'given', license_id }
  })
}

/** Why a plan is not given. The buyer is locked first, so no purchase can begin. */
async function refusalOf(
  world: World,
  tx: Db,
  given: GivenPlan,
): Promise<Exclude<PlanGiven, { outcome: 'given' }> | undefined> {
  const { app_id, email_normalized, product_id, ends_at } = given
  const buyer = { app_id, email_normalized }
  await payments.lockBuyer(tx, buyer)
  const app = await apps.get(tx, app_id)
  if (ends_at && ends_at <= appTime(world, app)) return { outcome: 'past' }
  const plan = (await catalog.products(tx, app_id)).find(({ id }) => id === product_id)
  if (!plan || plan.is_free) return { outcome: 'no_plan' }
  // In this order: a payment that is settled in between has made the license that is read then.
  const pending = await payments.findPending(tx, buyer)
  const license = await licensing.findLive(tx, buyer)
  if (license) return { outcome: 'owned', license }
  return pending && { outcome: 'buying' }
}
