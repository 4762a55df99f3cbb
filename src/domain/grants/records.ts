import { addSeconds } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { type Sweep, sweep } from '#platform/sweep'
import { mayRefresh, type RefreshUse } from './lifetimes.ts'

export type RecordKind =
  | 'Session'
  | 'Interaction'
  | 'Grant'
  | 'AuthorizationCode'
  | 'AccessToken'
  | 'RefreshToken'

/** A record's name: its kind, and the secret text, of which a digest is stored. */
export interface RecordName {
  kind: RecordKind
  name: string
}

/** The content of a record. */
export interface RecordFacts {
  payload: object
  /** The name of the grant that a code or token was issued under. */
  grant: string | undefined
  session_uid: string | undefined
  /** The app's name for the login that a code or token belongs to. */
  sid?: string | undefined
  /** The name of the refresh token that this one replaced. */
  parent?: string | undefined
  client_id: string | undefined
  user_id: UserId | undefined
  scope: string | undefined
  audience: string | undefined
  /** Seconds from now. */
  life: number
}

/** A stored record. */
export interface FoundRecord {
  payload: Record<string, unknown>
  created_at: Date
  expires_at: Date
  consumed_at: Date | null
}

const FOUND = sql`payload, created_at, expires_at, consumed_at`

/**
 * Stores a record, new or changed; false if its grant no longer exists. A grant lives as long as
 * what was issued under it.
 */
export async function saveRecord(
  db: Db,
  now: Date,
  { kind, name }: RecordName,
  facts: RecordFacts,
): Promise<boolean> {
  const { payload, session_uid, sid, client_id, user_id, scope, audience } = facts
  const grant_id = facts.grant === undefined ? null : sha256(facts.grant)
  const parent_id = facts.parent === undefined ? null : sha256(facts.parent)
  const expires_at = addSeconds(now, facts.life)
  try {
    await db.run(sql`with grants as (update oidc_records set expires_at = ${expires_at}
        where id = ${grant_id}::bytea and expires_at < ${expires_at})
      insert into oidc_records (id, kind, payload, grant_id, parent_id, session_uid, sid,
        client_id, user_id, scope, audience, created_at, expires_at)
      values (${sha256(name)}, ${kind}, ${JSON.stringify(payload)}, ${grant_id}, ${parent_id},
        ${session_uid ?? null}, ${sid ?? null}, ${client_id ?? null}, ${user_id ?? null},
        ${scope ?? null}, ${audience ?? null}, ${now}, ${expires_at})
      on conflict (id) do update set payload = excluded.payload, user_id = excluded.user_id,
        session_uid = excluded.session_uid, expires_at = excluded.expires_at`)
    return true
  } catch (error) {
    if (isGrantGone(error)) return false
    throw error
  }
}

function isGrantGone(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === GRANT_RULE
}
const GRANT_RULE = 'oidc_records_grant_id_fkey'

/** A record that has not expired. */
export async function findRecord(
  db: Db,
  now: Date,
  { kind, name }: RecordName,
): Promise<FoundRecord | undefined> {
  return await db.maybe<FoundRecord>(sql`select ${FOUND} from oidc_records
    where id = ${sha256(name)} and kind = ${kind} and expires_at > ${now}`)
}

/** The sign-in session that tokens belong to. */
export async function findSessionByUid(
  db: Db,
  now: Date,
  uid: string,
): Promise<FoundRecord | undefined> {
  return await db.maybe<FoundRecord>(sql`select ${FOUND} from oidc_records
    where session_uid = ${uid} and kind = 'Session' and expires_at > ${now}`)
}

/**
 * Uses a record up. Of concurrent calls only one returns true. A second use means that it leaked,
 * so everything that was issued under its grant is revoked.
 */
export async function consumeRecord(db: Db, now: Date, { kind, name }: RecordName) {
  const id = sha256(name)
  const used = await db.run(sql`update oidc_records set consumed_at = ${now}
    where id = ${id} and kind = ${kind} and consumed_at is null`)
  if (used === 1) return true
  await db.run(sql`delete from oidc_records
    where id = (select grant_id from oidc_records where id = ${id})`)
  return false
}

/**
 * Uses a refresh token, for which a successor is issued. Clients refresh concurrently and lose
 * responses, so a used token may be used again for a moment (see `mayRefresh`). Any other second
 * use means that it leaked: returns false, and every token of its login is revoked.
 */
export async function useRefreshToken(db: Database, now: Date, name: string): Promise<boolean> {
  const id = sha256(name)
  return await db.tx(async (tx) => {
    // The grant is locked first, so a login's refreshes are decided one at a time.
    const grant = await tx.maybe<{ id: Buffer }>(sql`select id from oidc_records
      where id = (select grant_id from oidc_records where id = ${id} and kind = 'RefreshToken')
      for no key update`)
    if (!grant) return false
    const token = await tx.maybe<RefreshUse>(sql`select consumed_at as used_at, exists (
        select 1 from oidc_records c where c.parent_id = t.id and c.consumed_at is not null
      ) as is_superseded
      from oidc_records t where id = ${id}`)
    if (!token || !mayRefresh(now, token)) {
      await tx.run(sql`delete from oidc_records where id = ${grant.id}`)
      return false
    }
    await tx.run(sql`update oidc_records set consumed_at = ${now}
      where id = ${id} and consumed_at is null`)
    return true
  })
}

/** Deletes one record; with a grant, everything that was issued under it. */
export async function deleteRecord(db: Db, { kind, name }: RecordName): Promise<void> {
  await db.run(sql`delete from oidc_records where id = ${sha256(name)} and kind = ${kind}`)
}

/** Ends a sign-in session, and every token that any app got in it. */
export async function endSession(db: Db, uid: string): Promise<void> {
  await db.run(sql`delete from oidc_records where (session_uid = ${uid} and kind = 'Session')
    or id in (select grant_id from oidc_records where session_uid = ${uid})`)
}

/** Signs a browser out of the sign-in session; apps keep their tokens. */
export async function deleteSession(db: Db, uid: string): Promise<void> {
  await db.run(sql`delete from oidc_records where session_uid = ${uid} and kind = 'Session'`)
}

/** The logins to an app that their ID tokens name so. */
export interface NamedLogin {
  client_id: string
  sid: string
}

/** Whether a login has a token that has not expired. */
export async function hasTokens(db: Db, now: Date, login: NamedLogin): Promise<boolean> {
  const found = await db.maybe(sql`select id from oidc_records where sid = ${login.sid}
    and client_id = ${login.client_id} and kind in ('AccessToken', 'RefreshToken')
    and expires_at > ${now} limit 1`)
  return found !== undefined
}

/** Revokes an app's tokens from the logins with this `sid`. */
export async function revokeLogin(db: Db, login: NamedLogin): Promise<void> {
  await db.run(sql`delete from oidc_records where id in (select grant_id from oidc_records
    where sid = ${login.sid} and client_id = ${login.client_id})`)
}

/** Revokes all tokens of an app for one person, in every browser. Returns the number of grants. */
export async function revokeApp(
  db: Db,
  party: { client_id: string; user_id: UserId },
): Promise<number> {
  return await db.run(sql`delete from oidc_records where kind = 'Grant'
    and user_id = ${party.user_id} and client_id = ${party.client_id}`)
}

/** Revokes all tokens of an app, for everyone. */
export async function revokeClient(db: Db, client_id: string): Promise<void> {
  await db.run(sql`delete from oidc_records where kind = 'Grant' and client_id = ${client_id}`)
}

/** Locks a person's grants, under which tokens are stored, until the transaction ends. */
export async function lockGrantsOf(tx: Db, user_id: UserId): Promise<void> {
  await tx.rows(sql`select id from oidc_records where user_id = ${user_id} and kind = 'Grant'
    order by id for update`)
}

/** Revokes all of a person's tokens in every app, and ends all of their sign-in sessions. */
export async function revokeAllOf(db: Db, user_id: UserId): Promise<void> {
  await db.run(sql`delete from oidc_records
    where user_id = ${user_id} and kind in ('Grant', 'Session')`)
}

const EXPIRED_SWEEP: Sweep = {
  table: 'oidc_records',
  days: 0,
  batch: (db, now, limit) =>
    db.run(sql`delete from oidc_records where id in
      (select id from oidc_records where expires_at <= ${now} ${limit})`),
}

/** Deletes expired records, in batches. */
export async function sweepRecords(db: Db, now: Date, stopping: AbortSignal): Promise<void> {
  await sweep(db, now, [EXPIRED_SWEEP], stopping)
}

/** When a person agreed to sign in to an app, and the sign-ins that are still recorded. */
export async function signInsOf(
  db: Db,
  party: { user_id: UserId; client_id: string },
): Promise<{ agreed_at: Date | null; signed_in_at: Date[] }> {
  const { user_id, client_id } = party
  const consent = await db.maybe<{ granted_at: Date }>(sql`select granted_at from consents
    where user_id = ${user_id} and client_id = ${client_id} and withdrawn_at is null`)
  const rows = await db.rows<{ at: Date }>(sql`select distinct created_at as at from oidc_records
    where user_id = ${user_id} and client_id = ${client_id} and kind = 'AccessToken' order by 1`)
  return { agreed_at: consent?.granted_at ?? null, signed_in_at: rows.map(({ at }) => at) }
}
