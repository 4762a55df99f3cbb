import { KeyConflict } from '#domain/payments'
import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

export type RequestKind = 'charge' | 'refund' | 'transfer' | 'payout' | 'account'

/** A request to Stripe under a key, with its result as far as known. */
export interface Request<Body = unknown> {
  key: string
  kind: RequestKind
  body: Body | null
  object_id: string | null
  closed_at: Date | null
  sent_at: Date
  /** How often Stripe refused it, while what it lacked may change. */
  refusals: number
}

/** A recorded request; `is_new` if it was not recorded before. */
export type StoredRequest = Request & { is_new: boolean }

const COLUMNS = sql`key, kind, body, object_id, closed_at, sent_at, refusals`

/**
 * Records a request before it is sent, or finds it. Throws KeyConflict if the key was used for
 * another request; a key that was closed unused accepts any request and stays closed.
 */
export async function record(
  db: Db,
  now: Date,
  { key, kind, body }: { key: string; kind: RequestKind; body: object },
): Promise<StoredRequest> {
  const json = JSON.stringify(body)
  const inserted = await db.run(sql`insert into stripe_adapter.requests (key, kind, body, sent_at)
    values (${key}, ${kind}, ${json}, ${now}) on conflict (key) do nothing`)
  const row = await db.one<Request & { is_same: boolean | null }>(sql`
    select ${COLUMNS}, kind = ${kind} and body = ${json}::jsonb as is_same
    from stripe_adapter.requests where key = ${key}`)
  if (row.is_same === false) {
    throw new KeyConflict('this idempotency key was used for a different request')
  }
  return { ...row, is_new: inserted === 1 }
}

/** The request with this key. */
export async function find<Body>(db: Db, key: string): Promise<Request<Body> | undefined> {
  return await db.maybe<Request<Body>>(
    sql`select ${COLUMNS} from stripe_adapter.requests where key = ${key}`,
  )
}

/** The request that created a Stripe object. */
export async function findByObject(db: Db, object_id: string): Promise<Request | undefined> {
  return await db.maybe<Request>(
    sql`select ${COLUMNS} from stripe_adapter.requests where object_id = ${object_id}`,
  )
}

/** The requests with these keys, and those that created these Stripe objects. */
export async function findAll(
  db: Db,
  { keys, object_ids }: { keys: string[]; object_ids: string[] },
): Promise<Pick<Request, 'key' | 'object_id'>[]> {
  return await db.rows<Pick<Request, 'key' | 'object_id'>>(sql`
    select key, object_id from stripe_adapter.requests where key = any(${keys})
    union select key, object_id from stripe_adapter.requests where object_id = any(${object_ids})`)
}

/** Records the result of a request. */
export async function recordResult(db: Db, key: string, object_id: string): Promise<void> {
  await db.run(sql`update stripe_adapter.requests set object_id = ${object_id}
    where key = ${key} and object_id is null`)
}

/** Records that Stripe refused a request that may succeed later: nothing was made. */
export async function recordRefusal(db: Db, key: string): Promise<void> {
  await db.run(sql`update stripe_adapter.requests set refusals = refusals + 1 where key = ${key}`)
}

/** Closes a key without a sent request; returns its record. */
export async function closeUnsent<Body>(db: Db, now: Date, key: string): Promise<Request<Body>> {
  await db.run(sql`insert into stripe_adapter.requests (key, kind, closed_at, sent_at)
    values (${key}, 'charge', ${now}, ${now}) on conflict (key) do nothing`)
  return await db.one<Request<Body>>(
    sql`select ${COLUMNS} from stripe_adapter.requests where key = ${key}`,
  )
}

/** Records that a key is closed permanently. */
export async function close(db: Db, now: Date, key: string): Promise<void> {
  await db.run(sql`update stripe_adapter.requests set closed_at = ${now}
    where key = ${key} and closed_at is null`)
}
