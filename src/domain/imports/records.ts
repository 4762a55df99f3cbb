import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { ImportSource } from './record.ts'

/** Records which license a row of a service became. */
export async function saveRecord(
  db: Db,
  record: { app_id: AppId; source: ImportSource; external_id: string; license_id: LicenseId },
): Promise<void> {
  await db.run(sql`insert into imported_records (app_id, source, external_id, license_id)
    values (${record.app_id}, ${record.source}, ${record.external_id}, ${record.license_id})
    on conflict (app_id, source, external_id) do update set license_id = excluded.license_id`)
}

/** The number of licenses imported from a service that their buyers continued with a card. */
export async function countContinued(
  db: Db,
  { app_id, source }: { app_id: AppId; source: ImportSource },
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) from carts c
    where c.app_id = ${app_id} and c.continues_license_id is not null and c.order_id is not null
      and exists (select 1 from imported_records r
        where r.license_id = c.continues_license_id and r.source = ${source})`)
  return count
}
