import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'
import type { Random } from '#platform/random'
import type { KeyRing } from '#platform/secrets'
import { sql } from '#platform/sql'
import { dropAliases } from './aliases.ts'
import { keyHash, mintKey, sealKey } from './key.ts'
import { LICENSE_COLUMNS, type License, showKey } from './licenses.ts'

const REPEAT_SECONDS = 10 * 60

/** The outcome of a rotation; `fresh` is false for a repeated request. */
export type Rotation =
  | { outcome: 'unknown' }
  | { outcome: 'canceled' }
  | { outcome: 'rotated'; fresh: boolean; license: License; license_key: string; rotated_at: Date }

/**
 * Replaces the key of an app's license; the old one, and those of other services, stop working when
 * the transaction commits (spec: regenerate-key). The same `rotation_key` within ten minutes gets
 * the same answer.
 */
export async function rotate(
  db: Db,
  now: Date,
  tools: { keys: KeyRing; random: Random },
  request: { app_id: AppId; license_id: LicenseId; rotation_key: string | null },
): Promise<Rotation> {
  const license = await db.maybe<License & { rotation_key: string | null }>(sql`
    select ${LICENSE_COLUMNS}, rotation_key from licenses
    where id = ${request.license_id} and app_id = ${request.app_id} for update`)
  if (!license) return { outcome: 'unknown' }
  if (license.status === 'canceled') return { outcome: 'canceled' }
  const { rotated_at } = license
  if (rotated_at && isRepeat(now, { ...license, rotated_at }, request.rotation_key)) {
    const license_key = showKey(tools.keys, license)
    return { outcome: 'rotated', fresh: false, license, license_key, rotated_at }
  }
  const license_key = mintKey(tools.random)
  await db.run(sql`update licenses set key_hash = ${keyHash(tools.keys, license_key)},
    key_sealed = ${sealKey(tools.keys, tools.random, license.license_id, license_key)},
    rotated_at = ${now}, rotation_key = ${request.rotation_key}
    where id = ${license.license_id}`)
  await dropAliases(db, [license.license_id])
  return { outcome: 'rotated', fresh: true, license, license_key, rotated_at: now }
}

function isRepeat(
  now: Date,
  last: { rotated_at: Date; rotation_key: string | null },
  rotation_key: string | null,
): boolean {
  if (rotation_key === null || rotation_key !== last.rotation_key) return false
  return addSeconds(last.rotated_at, REPEAT_SECONDS) > now
}
