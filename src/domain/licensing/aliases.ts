import type { Db } from '#platform/db'
import type { AppId, LicenseId, UserId } from '#platform/ids'
import { rowsOf, sql } from '#platform/sql'

/** A key of another service, as its keyed hash, and the license that it opens. */
export interface KeyAlias {
  app_id: AppId
  key_hash: Buffer
  license_id: LicenseId
}

/**
 * Stores keys of other services, so that `findByKeys` accepts them. A key that already opens a
 * canceled license of the app opens the new one from then on; one that opens a live license stays
 * with it, and one that was replaced opens none. Returns how many were stored or changed.
 */
export async function addAliases(db: Db, now: Date, aliases: readonly KeyAlias[]): Promise<number> {
  return await db.run(sql`insert into license_key_aliases as a
      (app_id, key_hash, license_id, created_at)
    select distinct on (row.app_id, row.key_hash) row.app_id, row.key_hash, row.license_id, ${now}
      from ${rowsOf(aliases, { app_id: 'text', key_hash: 'bytea', license_id: 'text' })}
      where not exists (select 1 from licenses l where l.key_hash = row.key_hash)
    on conflict (app_id, key_hash) do update set license_id = excluded.license_id
      where a.replaced_at is null and a.license_id <> excluded.license_id
        and (select status = 'canceled' from licenses where id = a.license_id)`)
}

/**
 * Ends the key of a license, which is about to be replaced, and those of other services that open
 * it. They stay stored, as an older file that is imported later may contain them.
 */
export async function retireKeys(db: Db, now: Date, license_id: LicenseId): Promise<void> {
  await db.run(sql`with former as (update license_key_aliases set replaced_at = ${now}
      where license_id = ${license_id} and replaced_at is null)
    insert into license_key_aliases (app_id, key_hash, license_id, created_at, replaced_at)
    select app_id, key_hash, id, ${now}, ${now} from licenses where id = ${license_id}
    on conflict do nothing`)
}

/** Deletes a key of another service, if it opens this license. */
export async function deleteAlias(db: Db, alias: KeyAlias): Promise<void> {
  await db.run(sql`delete from license_key_aliases
    where app_id = ${alias.app_id} and key_hash = ${alias.key_hash}
      and license_id = ${alias.license_id} and replaced_at is null`)
}

/** Deletes the keys of other services that open the licenses of an account. */
export async function deleteAliasesOf(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`delete from license_key_aliases where replaced_at is null
    and license_id in (select id from licenses where user_id = ${user_id})`)
}
