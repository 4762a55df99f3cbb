import type { Db } from '#platform/db'
import type { AppId, LicenseId, ProductId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { CAME_TO, type CustomerStatus, type LicenseOrigin } from './customers.ts'

/** The orders of the list of licenses. */
export const LICENSE_SORTS = ['newest', 'oldest'] as const
export type LicenseSort = (typeof LICENSE_SORTS)[number]

/** A license of an app, in its list. */
export interface ListedLicense {
  license_id: LicenseId
  email: string
  status: CustomerStatus
  origin: LicenseOrigin
  product_name: string
  created_at: Date
  /** The end of its period; null if it has no end date. */
  period_end: Date | null
  /** The day on which it ended, or will end; null while it continues. */
  canceled_at: Date | null
  rotated_at: Date | null
  /** What was charged, tax included, minus refunds and lost disputes. */
  paid: Cents
}

/** Filters the licenses of an app. */
export interface LicenseFilter {
  app_id: AppId
  status?: CustomerStatus | undefined
  product_id?: ProductId | undefined
  origin?: LicenseOrigin | undefined
  /** The days on which they began: from one, and before another. */
  from?: Date | undefined
  before?: Date | undefined
  /** What a search found; undefined without a search. */
  license_ids?: LicenseId[] | undefined
}

/** A page of an app's licenses; it starts after the last one of the previous page. */
export async function listLicenses(
  db: Db,
  query: LicenseFilter & {
    sort: LicenseSort
    after?: { at: Date; id: string } | undefined
    limit: number
  },
): Promise<ListedLicense[]> {
  const { sort, after, limit } = query
  const isNewest = sort === 'newest'
  const rest = after
    ? sql`and (l.created_at, l.id) ${isNewest ? sql`<` : sql`>`} (${after.at}, ${after.id})`
    : sql``
  const order = isNewest ? sql`l.created_at desc, l.id desc` : sql`l.created_at, l.id`
  return await db.rows<ListedLicense>(sql`
    select l.id as license_id, u.email, l.status, l.origin, p.name as product_name, l.created_at,
      l.period_end, l.canceled_at, l.rotated_at, m.charged - m.returned as paid
    from (select l.* from licenses l where ${matching(query)} ${rest}
        order by ${order} limit ${limit}) l
      join users u on u.id = l.user_id join products p on p.id = l.product_id
      cross join lateral (${CAME_TO}) m
    order by ${order}`)
}

/** The number of licenses, in all and by status. */
export interface LicenseTotals {
  count: number
  by_status: { status: CustomerStatus; count: number }[]
}

/** Counts an app's licenses. */
export async function licenseTotals(db: Db, filter: LicenseFilter): Promise<LicenseTotals> {
  const by_status = await db.rows<{ status: CustomerStatus; count: number }>(sql`
    select l.status, count(*) as count from licenses l where ${matching(filter)}
    group by l.status order by l.status`)
  return { count: by_status.reduce((total, { count }) => total + count, 0), by_status }
}

function matching(filter: LicenseFilter): Sql {
  const { app_id, status, product_id, origin, from, before, license_ids } = filter
  // Literals: an index has the licenses that were bought or given, another those that were given.
  const source =
    origin === 'comp' || origin === 'import'
      ? sql`and l.origin in ('comp', 'import')`
      : sql`and l.origin <> 'preview'`
  const hasDays = from !== undefined || before !== undefined
  // Each filter is a text of its own: for "no filter or this one" PostgreSQL expects so few rows
  // that it sorts all licenses of an app. Without days, totals come from an index without days.
  return sql`l.app_id = ${app_id} ${source}
    ${origin === undefined ? sql`` : sql`and l.origin = ${origin}`}
    ${product_id === undefined ? sql`` : sql`and l.product_id = ${product_id}`}
    ${
      hasDays
        ? sql`and l.created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
            and l.created_at < coalesce(${before ?? null}::timestamptz, 'infinity')`
        : sql``
    }
    ${status === undefined ? sql`` : sql`and l.status = ${status}`}
    ${license_ids === undefined ? sql`` : sql`and l.id = any(${license_ids})`}`
}
