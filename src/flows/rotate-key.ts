import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'

/**
 * Replaces a license's key and audits it, in one transaction (spec: regenerate-key). Where someone
 * else than the buyer requests it, `notify` queues the email to the buyer in that transaction, also
 * for a repeated request.
 */
export async function rotateKey(
  { db, clock, keys, random }: World,
  request: {
    app_id: AppId
    license_id: LicenseId
    actor: ActorOf<'app' | 'buyer' | 'seller'>
    rotation_key: string | null
    reason: string | undefined
  },
  notify?: (tx: Db, rotated_at: Date) => Promise<void>,
): Promise<licensing.Rotation> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const rotation = await licensing.rotate(tx, now, { keys, random }, request)
    if (rotation.outcome !== 'rotated') return rotation
    if (rotation.fresh) {
      await audit(tx, now, {
        actor: request.actor,
        action: 'license.key_rotated',
        subject: request.license_id,
        detail: { reason: request.reason },
      })
    }
    await notify?.(tx, rotation.rotated_at)
    return rotation
  })
}
