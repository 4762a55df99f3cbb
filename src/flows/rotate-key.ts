import * as apps from '#domain/apps'
import * as licensing from '#domain/licensing'
import { lockOwnListing } from '#flows/app-access'
import type { World } from '#flows/world'
import { type Actor, type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { type AppId, type LicenseId, mintId } from '#platform/ids'

interface RotationRequest {
  app_id: AppId
  license_id: LicenseId
  actor: ActorOf<'app' | 'buyer' | 'seller'>
  rotation_key: string | null
  reason: string | undefined
}

/**
 * Replaces a license's key and audits it, in one transaction (spec: regenerate-key). Where a seller
 * replaced it, the email with the new key is queued in that transaction, also for a repeated
 * request: once for each replacement.
 */
export async function rotateKey(
  world: World,
  request: RotationRequest,
): Promise<licensing.Rotation> {
  const { db, clock, keys, random } = world
  const now = clock.now()
  const { actor, app_id, license_id } = request
  return await db.tx(async (tx) => {
    if (actor.kind === 'seller') await lockOwnListing(tx, actor, app_id)
    const rotation = await licensing.rotate(tx, now, { keys, random }, request)
    if (rotation.outcome !== 'rotated') return rotation
    if (rotation.fresh) {
      await audit(tx, now, {
        actor: await withSeller(tx, request),
        action: 'license.key_rotated',
        subject: license_id,
        detail: { reason: request.reason },
      })
    }
    if (actor.kind === 'seller') await queueNewKey(world, tx, license_id, rotation.rotated_at)
    return rotation
  })
}

/** The actor of a request; an app with its seller, whose members see what its server did. */
async function withSeller(tx: Db, { actor, app_id }: RotationRequest): Promise<Actor> {
  if (actor.kind !== 'app') return actor
  const { seller_id } = await apps.get(tx, app_id)
  return { ...actor, seller_id }
}

async function queueNewKey(
  { clock, jobs, random }: World,
  tx: Db,
  license_id: LicenseId,
  rotated_at: Date,
): Promise<void> {
  const id = mintId(random, 'email')
  const cause = `new_key:${license_id}:${rotated_at.toISOString()}`
  const email = { id, cause, kind: 'key_replaced', subject_id: license_id } as const
  await queueEmail(tx, clock.now(), jobs, email, { urgent: true })
}
