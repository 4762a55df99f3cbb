import * as apps from '#domain/apps'
import * as licensing from '#domain/licensing'
import { lockOwnListing } from '#flows/app-access'
import type { World } from '#flows/world'
import { type Actor, type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'

interface RotationRequest {
  app_id: AppId
  license_id: LicenseId
  actor: ActorOf<'app' | 'buyer' | 'seller'>
  rotation_key: string | null
  reason: string | undefined
}

/**
 * Replaces a license's key and audits it, in one transaction (spec: regenerate-key). Where someone
 * else than the buyer requests it, `notify` queues the email to the buyer in that transaction, also
 * for a repeated request.
 */
export async function rotateKey(
  { db, clock, keys, random }: World,
  request: RotationRequest,
  notify?: (tx: Db, rotated_at: Date) => Promise<void>,
): Promise<licensing.Rotation> {
  const now = clock.now()
  const { actor, app_id } = request
  return await db.tx(async (tx) => {
    if (actor.kind === 'seller') await lockOwnListing(tx, actor, app_id)
    const rotation = await licensing.rotate(tx, now, { keys, random }, request)
    if (rotation.outcome !== 'rotated') return rotation
    if (rotation.fresh) {
      await audit(tx, now, {
        actor: await withSeller(tx, request),
        action: 'license.key_rotated',
        subject: request.license_id,
        detail: { reason: request.reason },
      })
    }
    await notify?.(tx, rotation.rotated_at)
    return rotation
  })
}

/** The actor of a request; an app with its seller, whose members see what its server did. */
async function withSeller(tx: Db, { actor, app_id }: RotationRequest): Promise<Actor> {
  if (actor.kind !== 'app') return actor
  const { seller_id } = await apps.get(tx, app_id)
  return { ...actor, seller_id }
}
