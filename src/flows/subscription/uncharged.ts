import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { lockOwnListing } from '#flows/app-access'
import { appTime, type World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueEmail, queueFreshEmail } from '#platform/email-queue'
import { type AppId, type EmailId, type LicenseId, mintId } from '#platform/ids'
import type { Limit } from '#platform/limits'

const RESENDS: Limit = { name: 'comp-resend', points: 5, seconds: 3600 }

/**
 * Sends the email with the key of a comp or an imported license again, a few times an hour at most:
 * false beyond that. The seller's request is audited.
 */
export async function resendKeyEmail(
  world: World,
  license_id: LicenseId,
  { actor, reason }: { actor: ActorOf<'seller'>; reason: string },
): Promise<boolean> {
  if (!(await world.limits.consume(RESENDS, license_id)).allowed) return false
  const id = mintId(world.random, 'email')
  await world.db.tx(async (tx) => {
    await lockOwnListing(tx, actor, (await licensing.getLicense(tx, license_id)).app_id)
    await queueKeyEmail(world, tx, { id, license_id, cause: `resend:${id}` })
    const detail = { license_id, reason }
    await audit(tx, world.clock.now(), { actor, action: 'email.resent', subject: id, detail })
  })
  return true
}

async function queueKeyEmail(
  { clock, jobs }: World,
  tx: Db,
  { id, license_id, cause }: { id: EmailId; license_id: LicenseId; cause: string },
): Promise<void> {
  const { origin } = await licensing.getPausable(tx, license_id)
  const kind = origin === 'import' ? 'license_imported' : 'plan_given'
  const email = { id, cause, kind, subject_id: license_id } as const
  await queueEmail(tx, clock.now(), jobs, email, { urgent: true })
}

/** Ends the comps and imported licenses whose end has passed; returns how many ended. */
export async function endUncharged(
  world: World,
  round: { app_id?: AppId | undefined; limit: number },
): Promise<number> {
  let count = 0
  for (const license_id of await licensing.endedUncharged(world.db, world.clock.now(), round)) {
    try {
      count += (await world.db.tx((tx) => endOne(world, tx, license_id))) ? 1 : 0
    } catch (error) {
      world.log.error({ error, license_id }, 'license not ended; will retry')
    }
  }
  return count
}

async function endOne(world: World, tx: Db, license_id: LicenseId): Promise<boolean> {
  const { status, period_end, app_id, user_id, origin } = await licensing.lockLicense(
    tx,
    license_id,
  )
  const now = appTime(world, await apps.get(tx, app_id))
  // Its buyer may have continued it since it was found, and the end of the period renews it.
  if (!licensing.isUncharged(origin)) return false
  if (status !== 'active' || !period_end || period_end > now) return false
  // Its buyer is continuing it, and the card check is still pending.
  const { email_normalized } = await identity.getUser(tx, user_id)
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
  const { app_id } = await licensing.getLicense(tx, license_id)
  const now = appTime(world, await apps.get(tx, app_id))
  if (!(await licensing.claimReminder(tx, now, license_id))) return false
  await queueFreshEmail(tx, now, world, { kind: 'import_ending', subject_id: license_id })
  return true
}
