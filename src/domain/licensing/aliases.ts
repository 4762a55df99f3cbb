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
 * with it. Returns how many were stored or changed.
 */
export async function addAliases(db: Db, now: Date, aliases: readonly KeyAlias[]): Promise<number> {
  return await db.run(sql`insert into license_key_aliases as a
      (app_id, key_hash, license_id, created_at)
    select distinct on (row.app_id, row.key_hash) row.app_id, row.key_hash, row.license_id, ${now}
      from ${rowsOf(aliases, { app_id: 'text', key_hash: 'bytea', license_id: 'text' })}
      where not exists (select 1 from licenses l where l.key_hash = row.key_hash)
    on conflict (app_id, key_hash) do update set license_id = excluded.license_id
      where a.license_id <> excluded.license_id
        and (select status = 'canceled' from licenses where id = a.license_id)`)
}

/** Deletes the keys of other services that open these licenses. */
export async function dropAliases(db: Db, license_ids: readonly LicenseId[]): Promise<void> {
  await db.run(sql`delete from license_key_aliases
    where license_id = any(${[...license_ids]}::text[])`)
}

/** Deletes the keys of other services that open the licenses of an account. */
export async function dropAliasesOf(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`delete from license_key_aliases
    where license_id in (select id from licenses where user_id = ${user_id})`)
}
