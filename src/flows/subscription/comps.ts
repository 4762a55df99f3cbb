import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueEmail, queueFreshEmail } from '#platform/email-queue'
import { type AppId, type LicenseId, mintId, type ProductId } from '#platform/ids'
import type { Limit } from '#platform/limits'

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
    const refused = await refusalOf(world, tx, given)
    if (refused) return refused
    const now = appTime(world, (await apps.find(tx, app_id))!)
    const { email, email_normalized } = given
    const { user_id } = await identity.findOrAddUser(tx, world.clock.now(), {
      id: mintId(random, 'usr'),
      email,
      email_normalized,
      created_via: 'comp',
    })
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
  const app = (await apps.find(tx, app_id))!
  if (ends_at && ends_at <= appTime(world, app)) return { outcome: 'past' }
  const plan = (await catalog.products(tx, app_id)).find(({ id }) => id === product_id)
  if (!plan || plan.is_free) return { outcome: 'no_plan' }
  const license = await licensing.findLive(tx, buyer)
  if (license) return { outcome: 'owned', license }
  return (await payments.findPending(tx, buyer)) ? { outcome: 'buying' } : undefined
}

const RESENDS: Limit = { name: 'comp-resend', points: 5, seconds: 3600 }

/**
 * Sends the email with the key of a comp or an imported license again. A seller's request (`by`) is
 * audited, and limited to a few an hour: false beyond that.
 */
export async function resendGivenPlan(
  { db, clock, jobs, random, limits }: World,
  license_id: LicenseId,
  by?: { actor: ActorOf<'seller'>; reason: string },
): Promise<boolean> {
  if (by && !(await limits.take(RESENDS, license_id)).allowed) return false
  const now = clock.now()
  const id = mintId(random, 'email')
  await db.tx(async (tx) => {
    const { origin } = await licensing.findPausable(tx, license_id)
    const kind = origin === 'import' ? 'license_imported' : 'plan_given'
    const about = { kind, subject_id: license_id } as const
    await queueEmail(tx, now, jobs, { ...about, id, cause: `resend:${id}` }, { urgent: true })
    if (!by) return
    const detail = { license_id, reason: by.reason }
    await audit(tx, now, { actor: by.actor, action: 'email.resent', subject: id, detail })
  })
  return true
}

/** Ends the comps and imported licenses whose end has passed; returns how many ended. */
export async function endComps(
  world: World,
  round: { app_id?: AppId | undefined; limit: number },
): Promise<number> {
  let count = 0
  for (const license_id of await licensing.endedUncharged(world.db, world.clock.now(), round)) {
    try {
      count += (await world.db.tx((tx) => endComp(world, tx, license_id))) ? 1 : 0
    } catch (error) {
      world.log.error({ error, license_id }, 'comp not ended; will retry')
    }
  }
  return count
}

async function endComp(world: World, tx: Db, license_id: LicenseId): Promise<boolean> {
  const { status, period_end, app_id, user_id, origin } = await licensing.lockLicense(
    tx,
    license_id,
  )
  const now = appTime(world, (await apps.find(tx, app_id))!)
  if (status !== 'active' || !period_end || period_end > now) return false
  // Its buyer is continuing it, and the card check is still pending.
  const { email_normalized } = (await identity.findUser(tx, user_id))!
  if (await payments.findPending(tx, { app_id, email_normalized })) return false
  const trigger = licensing.endOfUncharged(origin)
  await licensing.transition(tx, now, { license_id, trigger, to: 'canceled' })
  return true
}

/** Emails the owners of imported licenses that end in a week; returns the number of emails. */
export async function remindImported(
  world: World,
  round: { app_id?: AppId | undefined; limit: number },
): Promise<number> {
  let count = 0
  for (const license_id of await licensing.dueReminders(world.db, world.clock.now(), round)) {
    try {
      count += (await world.db.tx((tx) => remind(world, tx, license_id))) ? 1 : 0
    } catch (error) {
      world.log.error({ error, license_id }, 'owner not reminded; will retry')
    }
  }
  return count
}

async function remind(world: World, tx: Db, license_id: LicenseId): Promise<boolean> {
  const { app_id } = await licensing.findLicense(tx, license_id)
  const now = appTime(world, (await apps.find(tx, app_id))!)
  if (!(await licensing.takeReminder(tx, now, license_id))) return false
  await queueFreshEmail(tx, now, world, { kind: 'import_ending', subject_id: license_id })
  return true
}
