import type { Database } from '#platform/db'
import type { AppId, LicenseId, OrderId } from '#platform/ids'
import type { KeyRing } from '#platform/secrets'
import { sql } from '#platform/sql'
import { keyHashes } from './key.ts'
import type { LicenseFacts } from './state.ts'

/** The requesting client, and what was found for that client only. */
export interface Found<Facts> {
  client: { app_id: AppId | null; secret_hash: Buffer | null } | undefined
  found: Facts | undefined
}

/** The index of a lookup, the requesting client, and null for each field if nothing was found. */
type FoundRow<Facts> = {
  place: number
  is_client: boolean
  app_id: AppId | null
  secret_hash: Buffer | null
} & { [Field in keyof Facts]: Facts[Field] | null }

/** A lookup by license key, with the credentials of a seller's server. */
export interface KeyLookup {
  client_id: string
  license_key: string
}

/**
 * The client of a lookup `q`. `offset 0` keeps PostgreSQL from merging the subquery: a row with a
 * known ID must not be looked up among all rows of its app, which the planner prefers if most apps
 * have sold little.
 */
const CLIENT = sql`(select client_id, app_id, secret_hash from clients
  where client_id = q.client_id offset 0)`

/**
 * Finds the licenses of keys, and of keys that other services issued, together with the requesting
 * clients, in one statement and in the order of the lookups; another app's key is not found (spec:
 * License key endpoints, no cross-app oracle).
 */
export async function findByKeys(
  db: Database,
  keys: KeyRing,
  lookups: readonly KeyLookup[],
): Promise<Found<LicenseFacts>[]> {
  // A key may be stored under any key of the ring: one row for each.
  const keyed = lookups.flatMap(({ client_id, license_key }, place) =>
    keyHashes(keys, license_key).map((hash) => ({ place, client_id, hash })),
  )
  const rows = await db.hot<FoundRow<LicenseFacts>>(sql`
    select q.place, c.client_id is not null as is_client, c.app_id, c.secret_hash,
      l.id as license_id, l.product_id, l.status, l.period_end, l.canceled_at
    from unnest(${keyed.map(({ place }) => place)}::int[],
        ${keyed.map(({ client_id }) => client_id)}::text[],
        ${keyed.map(({ hash }) => hash)}::bytea[]) as q (place, client_id, hash)
      left join lateral ${CLIENT} c on true
      left join lateral (
        select id, product_id, status, period_end, canceled_at from licenses
          where app_id = c.app_id and key_hash = q.hash
        union all
        select o.id, o.product_id, o.status, o.period_end, o.canceled_at
          from license_key_aliases a join licenses o on o.id = a.license_id
          where a.app_id = c.app_id and a.key_hash = q.hash and a.replaced_at is null) l
          on true`)
  return inOrder(lookups, rows, ({ license_id }) => license_id !== null)
}

/** Finds the license of one key. */
export async function findByKey(
  db: Database,
  keys: KeyRing,
  lookup: KeyLookup,
): Promise<Found<LicenseFacts>> {
  const [answer] = await findByKeys(db, keys, [lookup])
  return answer!
}

/** What an order reference leads to: the license, or an attempt that is pending. */
export interface OrderFacts extends LicenseFacts {
  key_sealed: Buffer
  is_processing: boolean
}

/**
 * A lookup by order reference, with the credentials of a seller's server; undefined for an invalid
 * reference.
 */
export interface OrderLookup {
  client_id: string
  order_id: OrderId | LicenseId | undefined
}

/**
 * Finds the licenses of orders together with the requesting clients, in one statement and in the
 * order of the lookups. A preview has no order: its reference names the license itself. The invoice
 * is read only if there is no license, as its payment may be processing.
 */
export async function findByOrders(
  db: Database,
  lookups: readonly OrderLookup[],
): Promise<Found<OrderFacts>[]> {
  const rows = await db.hot<FoundRow<OrderFacts>>(sql`
    select q.place, c.client_id is not null as is_client, c.app_id, c.secret_hash,
      l.id as license_id, l.product_id, l.status, l.period_end, l.canceled_at, l.key_sealed,
      coalesce(i.status = 'draft', false) as is_processing
    from unnest(${lookups.map((_, place) => place)}::int[],
        ${lookups.map(({ client_id }) => client_id)}::text[],
        ${lookups.map(({ order_id }) => order_id ?? null)}::text[])
        as q (place, client_id, order_id)
      left join lateral ${CLIENT} c on true
      left join lateral (select app_id, license_id from orders
        where id = q.order_id offset 0) o on o.app_id = c.app_id
      left join lateral (select id, app_id, product_id, status, period_end, canceled_at, key_sealed
        from licenses where id = coalesce(o.license_id, q.order_id) offset 0) l
        on l.app_id = c.app_id
      left join lateral (select app_id, status from invoices
        where order_id = q.order_id and kind = 'purchase' and l.id is null offset 0) i
        on i.app_id = c.app_id`)
  return inOrder(lookups, rows, (row) => row.license_id !== null || row.is_processing === true)
}

/** Finds the license of one order. */
export async function findByOrder(db: Database, lookup: OrderLookup): Promise<Found<OrderFacts>> {
  const [answer] = await findByOrders(db, [lookup])
  return answer!
}

/** One result for each lookup. A lookup may have several rows, at most one of which is a match. */
function inOrder<Facts>(
  lookups: readonly unknown[],
  rows: FoundRow<Facts>[],
  isFound: (row: FoundRow<Facts>) => boolean,
): Found<Facts>[] {
  const answers = lookups.map((): Found<Facts> => ({ client: undefined, found: undefined }))
  for (const row of rows) {
    const answer = answers[row.place]!
    if (row.is_client) answer.client = row
    if (isFound(row)) answer.found = row as Facts
  }
  return answers
}
