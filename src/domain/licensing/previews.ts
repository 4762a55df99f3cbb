import type { Db } from '#platform/db'
import type { AppId, LicenseId, ProductId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { recordTransition } from './history.ts'
import { type KeyTools, newKey } from './key.ts'
import { LICENSE_COLUMNS, type License, mint } from './licenses.ts'

/** A member of an app's seller: they alone may have a preview of it, each their own. */
export interface PreviewHolder {
  app_id: AppId
  user_id: UserId
}

/** A member's preview of an app. */
export async function findPreview(db: Db, holder: PreviewHolder): Promise<License | undefined> {
  return await db.maybe<License>(sql`select ${LICENSE_COLUMNS} from licenses
    where app_id = ${holder.app_id} and user_id = ${holder.user_id} and status = 'preview'`)
}

/**
 * Gives a member, whose memberships are locked, a preview of a plan (spec: States and transitions,
 * preview). There is one per member and app: a repeat keeps the license, and its former key stops
 * working. Returns its id.
 */
export async function grantPreview(
  db: Db,
  now: Date,
  tools: KeyTools,
  grant: PreviewHolder & { license_id: LicenseId; product_id: ProductId },
): Promise<LicenseId> {
  const existing = await findPreview(db, grant)
  if (!existing) {
    const license = { status: 'preview', period_end: null, trigger: 'preview' } as const
    await mint(db, now, tools, { ...grant, ...license })
    return grant.license_id
  }
  const { license_id } = existing
  const { key_hash, key_sealed } = newKey(tools, license_id)
  await db.run(sql`update licenses set product_id = ${grant.product_id}, key_hash = ${key_hash},
    key_sealed = ${key_sealed} where id = ${license_id}`)
  return license_id
}

/** Ends a member's preview of an app; returns its id, or undefined if there was none. */
export async function endPreview(
  db: Db,
  now: Date,
  holder: PreviewHolder,
): Promise<LicenseId | undefined> {
  const ended = await db.maybe<{ id: LicenseId }>(sql`
    update licenses set status = 'canceled', canceled_at = ${now}
    where app_id = ${holder.app_id} and user_id = ${holder.user_id} and status = 'preview'
    returning id`)
  if (!ended) return undefined
  const step = { license_id: ended.id, from: 'preview', to: 'canceled' } as const
  await recordTransition(db, now, { ...step, trigger: 'preview_ended' })
  return ended.id
}
