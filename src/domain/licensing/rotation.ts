import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import { retireKeys } from './aliases.ts'
import { type KeyTools, newKey, showKey } from './key.ts'
import { LICENSE_COLUMNS, type License } from './licenses.ts'

const REPEAT_SECONDS = 10 * 60

/** A rotation that a request with the same key would repeat. */
type KeyedRotation = { rotation_key: string; rotated_at: string }

/** The outcome of a rotation; `fresh` is false for a repeated request. */
export type Rotation =
  | { outcome: 'unknown' }
  | { outcome: 'canceled' }
  | { outcome: 'rotated'; fresh: boolean; license: License; license_key: string; rotated_at: Date }

/**
 * Replaces the key of an app's license; the old one, and those of other services, stop working when
 * the transaction commits (spec: regenerate-key). A repeated `rotation_key` within ten minutes
 * replaces nothing and gets the current key: another request may have replaced it since.
 */
export async function rotate(
  db: Db,
  now: Date,
  tools: KeyTools,
  request: { app_id: AppId; license_id: LicenseId; rotation_key: string | null },
): Promise<Rotation> {
  const license = await db.maybe<License & { keyed_rotations: KeyedRotation[] }>(sql`
    select ${LICENSE_COLUMNS}, keyed_rotations from licenses
    where id = ${request.license_id} and app_id = ${request.app_id} for update`)
  if (!license) return { outcome: 'unknown' }
  if (license.status === 'canceled') return { outcome: 'canceled' }
  const { rotated_at } = license
  const { rotation_key } = request
  const recent = license.keyed_rotations.filter((each) => isRecent(now, each))
  if (rotated_at && recent.some((each) => each.rotation_key === rotation_key)) {
    const license_key = showKey(tools.keys, license)
    return { outcome: 'rotated', fresh: false, license, license_key, rotated_at }
  }
  if (rotation_key !== null) recent.push({ rotation_key, rotated_at: now.toISOString() })
  const { license_id } = license
  const { license_key, key_hash, key_sealed } = newKey(tools, license_id)
  await retireKeys(db, now, license_id)
  await db.run(sql`update licenses set key_hash = ${key_hash}, key_sealed = ${key_sealed},
    rotated_at = ${now}, keyed_rotations = ${JSON.stringify(recent)}::jsonb
    where id = ${license_id}`)
  return { outcome: 'rotated', fresh: true, license, license_key, rotated_at: now }
}

function isRecent(now: Date, { rotated_at }: KeyedRotation): boolean {
  return addSeconds(new Date(rotated_at), REPEAT_SECONDS) > now
}
