import type { Db } from '#platform/db'
import type { LicenseId } from '#platform/ids'
import { rowsOf, sql } from '#platform/sql'

/**
 * The kinds of use: the app's server checks a key or a signed-in buyer's plan, or reads the order
 * of a buyer who returned; the key is shown to its owner.
 */
export type UseKind = 'key_checked' | 'plan_checked' | 'order_read' | 'key_shown'

/** One kind of use of a license from one network, too coarse to identify a person. */
export interface Use {
  license_id: LicenseId
  kind: UseKind
  network: string
}

/** How often it was used, and when first and last. */
export interface CountedUse extends Use {
  count: number
  first_at: Date
  last_at: Date
}

/** Adds counted uses to each day's count, by the app's time. */
export async function addUses(db: Db, uses: CountedUse[]): Promise<void> {
  if (uses.length === 0) return
  await db.run(sql`
    insert into license_uses (license_id, day, kind, network, count, first_at, last_at)
    select l.id, ((row.first_at + ahead) at time zone 'UTC')::date, row.kind, row.network,
      sum(row.count), min(row.first_at + ahead), max(row.last_at + ahead)
    from ${rowsOf(uses, TYPES)}
    join licenses l on l.id = row.license_id
    join apps a on a.id = l.app_id
    cross join lateral (select a.clock_ahead * interval '1 second' as ahead) c
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (license_id, day, kind, network) do update set
      count = license_uses.count + excluded.count,
      first_at = least(license_uses.first_at, excluded.first_at),
      last_at = greatest(license_uses.last_at, excluded.last_at)`)
}

const TYPES = {
  license_id: 'text',
  kind: 'text',
  network: 'text',
  count: 'int',
  first_at: 'timestamptz',
  last_at: 'timestamptz',
} as const

/** The uses of a license by day, earliest first. */
export async function usesOf(db: Db, license_id: LicenseId): Promise<CountedUse[]> {
  return await db.rows<CountedUse>(sql`
    select license_id, kind, network, count, first_at, last_at from license_uses
    where license_id = ${license_id} order by first_at, kind, network`)
}
