import type { Db } from '#platform/db'
import type { AppId, LicenseId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Writes, writeTogether } from '#platform/write-together'
import { recordTransition } from './history.ts'
import { type KeyTools, newKey } from './key.ts'
import type { LicenseFacts } from './state.ts'
import type { Beginning } from './transition.ts'

/** A license with its sealed key. */
export interface License extends LicenseFacts {
  app_id: AppId
  user_id: UserId
  key_sealed: Buffer
  rotated_at: Date | null
}

/** The columns of `License`, of `licenses`. */
export const LICENSE_COLUMNS = sql`id as license_id, app_id, user_id, product_id, status,
  period_end, canceled_at, key_sealed, rotated_at`

/** A person's license for an app that is not canceled; previews are ignored. */
export async function findLive(
  db: Db,
  holder: { app_id: AppId; email_normalized: string },
): Promise<License | undefined> {
  return await db.maybe<License>(sql`select ${LICENSE_COLUMNS} from licenses
    where app_id = ${holder.app_id} and status not in ('canceled', 'preview')
      and user_id = (select id from users where email_normalized = ${holder.email_normalized})`)
}

/** Whether an app ever had a buyer, or a person who was given a plan. */
export async function hadCustomers(db: Db, app_id: AppId): Promise<boolean> {
  const { had } = await db.one<{ had: boolean }>(sql`select exists (
    select 1 from licenses where app_id = ${app_id} and origin <> 'preview') as had`)
  return had
}

/** Whether an app has any license, from a purchase or a preview. */
export async function hasLicenses(db: Db, app_id: AppId): Promise<boolean> {
  const { has } = await db.one<{ has: boolean }>(sql`select exists (
    select 1 from licenses where app_id = ${app_id}) as has`)
  return has
}

/** Any license of an app that is not canceled. Previews are ignored. */
export async function findAny(db: Db, app_id: AppId): Promise<License | undefined> {
  return await db.maybe<License>(sql`select ${LICENSE_COLUMNS} from licenses
    where app_id = ${app_id} and status not in ('canceled', 'preview') limit 1`)
}

/** The latest license of an account for an app, canceled or not; previews are ignored. */
export async function findLatest(
  db: Db,
  holder: { app_id: AppId; user_id: UserId },
): Promise<License | undefined> {
  return await db.maybe<License>(sql`select ${LICENSE_COLUMNS} from licenses
    where app_id = ${holder.app_id} and user_id = ${holder.user_id}
      and origin <> 'preview'
    order by (status = 'canceled'), created_at desc limit 1`)
}

/** A license by its id. */
export async function getLicense(db: Db, id: LicenseId): Promise<License> {
  return await db.one<License>(sql`select ${LICENSE_COLUMNS} from licenses where id = ${id}`)
}

/** Whether there is a license with this id. */
export async function hasLicense(db: Db, id: LicenseId): Promise<boolean> {
  const row = await db.maybe<{ id: LicenseId }>(sql`select id from licenses where id = ${id}`)
  return row !== undefined
}

/** Creates a license with a new key, and starts its history. */
export async function mint(
  db: Writes,
  now: Date,
  tools: KeyTools,
  license: Pick<License, 'license_id' | 'app_id' | 'user_id' | 'product_id' | 'status'> & {
    period_end: Date | null
    trigger: Beginning
  },
): Promise<void> {
  const { license_id, status } = license
  const { key_hash, key_sealed } = newKey(tools, license_id)
  await writeTogether(db, (writes) => [
    writes.run(sql`insert into licenses (id, app_id, user_id, product_id, status, period_end,
        key_hash, key_sealed, origin, created_at)
      values (${license_id}, ${license.app_id}, ${license.user_id}, ${license.product_id},
        ${status}, ${license.period_end}, ${key_hash}, ${key_sealed}, ${license.trigger}, ${now})`),
    recordTransition(writes, now, { license_id, from: null, to: status, trigger: license.trigger }),
  ])
}

/** The licenses of an account that have not ended. */
export async function liveLicensesOf(db: Db, user_id: UserId): Promise<License[]> {
  return await db.rows<License>(sql`select ${LICENSE_COLUMNS} from licenses
    where user_id = ${user_id} and status <> 'canceled' order by id`)
}

/** The license with a key, of any app, by the key's hashes; undefined if there is none. */
export async function licenseWithKey(
  db: Db,
  key_hashes: readonly Buffer[],
): Promise<LicenseId | undefined> {
  const found = await db.maybe<{ id: LicenseId }>(sql`select id from licenses
    where key_hash = any(${[...key_hashes]}::bytea[]) limit 1`)
  return found?.id
}
