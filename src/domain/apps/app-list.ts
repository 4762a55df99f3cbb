import { type CreatedCursor, containing, isBelow } from '#platform/created-list'
import type { Db } from '#platform/db'
import type { AppId, SellerId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'

/** The states by which staff filter apps. */
export const APP_STATES = ['published', 'waiting', 'refused', 'suspended', 'archived'] as const
export type AppState = (typeof APP_STATES)[number]

/** An app in the list of staff. */
export interface StaffApp {
  id: AppId
  slug: string
  name: string
  seller_id: SellerId
  legal_name: string
  is_published: boolean
  external_sales_enabled: boolean
  archived_at: Date | null
  is_suspended: boolean
  created_at: Date
}

/** A search for apps. An absent field matches everything. */
export interface AppQuery {
  id?: AppId | undefined
  /** A part of the name in any case, or the whole slug. */
  name?: string | undefined
  seller_id?: SellerId | undefined
  state?: AppState | undefined
  below?: CreatedCursor<AppId> | undefined
  limit: number
}

/** Apps, newest first. */
export async function listForStaff(
  db: Db,
  { id, name, seller_id, state, below, limit }: AppQuery,
): Promise<StaffApp[]> {
  const ofId = id === undefined ? sql`` : sql`and a.id = ${id}`
  const ofSeller = seller_id === undefined ? sql`` : sql`and a.seller_id = ${seller_id}`
  const named =
    name === undefined
      ? sql``
      : sql`and a.id in (select n.id from apps n where n.name ilike ${containing(name)}
          union select n.id from apps n where n.slug = ${name.toLowerCase()})`
  return await db.rows<StaffApp>(sql`select a.id, a.slug, a.name, a.seller_id, s.legal_name,
      a.is_published, a.external_sales_enabled, a.archived_at, a.is_suspended, a.created_at
    from apps a join sellers s on s.id = a.seller_id
    where ${isBelow(sql`a.created_at, a.id`, below)}
      ${ofId} ${ofSeller} ${named} ${inState(state)}
    order by a.created_at desc, a.id desc limit ${limit}`)
}

function inState(state: AppState | undefined): Sql {
  switch (state) {
    case 'published':
      return sql`and a.is_published and not a.is_suspended`
    case 'waiting':
      return sql`and a.id in (select r.app_id from approval_requests r where r.decided_at is null)`
    case 'refused':
      return sql`and not a.external_sales_enabled
        and a.id = any(array(select r.app_id from approval_requests r where not r.is_approved))
        and a.id not in (select r.app_id from approval_requests r where r.decided_at is null)`
    case 'suspended':
      return sql`and a.is_suspended`
    case 'archived':
      return sql`and a.archived_at is not null`
    case undefined:
      return sql``
  }
}
