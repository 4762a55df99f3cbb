import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { ImportSource } from './record.ts'

/** Records which license a row of a service became. */
export async function keepRecord(
  db: Db,
  record: { app_id: AppId; source: ImportSource; external_id: string; license_id: LicenseId },
): Promise<void> {
  await db.run(sql`insert into imported_records (app_id, source, external_id, license_id)
    values (${record.app_id}, ${record.source}, ${record.external_id}, ${record.license_id})
    on conflict (app_id, source, external_id) do update set license_id = excluded.license_id`)
}
