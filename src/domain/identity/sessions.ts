import { addDays, addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, SellerId, SessionId, UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { type Sql, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import { rolesWith } from './staff-role.ts'
import { lockAgainstSignIns } from './users.ts'

/** A signed-in browser. If `app_id` is set, it may see that app's purchase only. */
export interface Session {
  id: SessionId
  user_id: UserId
  app_id: AppId | null
  /**
   * The seller whose pages are open; null means the first seller that the account is a member of.
   */
  seller_id: SellerId | null
  /** The seller whose pages staff are viewing, read-only (decision 103). */
  viewing_seller_id: SellerId | null
  viewing_until: Date | null
  email: string
  email_normalized: string
  email_verified_at: Date | null
  /** When its owner last authenticated, as OpenID Connect's `auth_time`. */
  authenticated_at: Date
  last_seen_at: Date
}

/** How an owner recognizes a browser: its family, and its network. */
export interface Device {
  browser: string
  network: string
}

/** A session as it is listed for its owner. */
export interface SessionRecord extends Device {
  id: SessionId
  created_at: Date
  last_seen_at: Date
}

const SESSION_DAYS = 30
const LIMITED_SESSION_DAYS = 1
// A session expires when it is not used for this long; one of staff, who can do more, sooner.
const IDLE_SECONDS = 7 * 86_400
const STAFF_IDLE_SECONDS = 12 * 3600
// The last use is written at most this often, so that a page view rarely costs a write.
const SEEN_SECONDS = 5 * 60

/** Whether a session `s` of an account `u` is live: not expired, and used recently enough. */
export function isLive(now: Date): Sql {
  return sql`(s.expires_at > ${now} and s.last_seen_at > case when u.staff_role is not null
    then ${addSeconds(now, -STAFF_IDLE_SECONDS)}::timestamptz
    else ${addSeconds(now, -IDLE_SECONDS)}::timestamptz end)`
}

/** Opens a session under a secret of 256 random bits, of which only a digest is stored. */
export async function openSession(
  db: Writes,
  now: Date,
  facts: { id: SessionId; token: string; user_id: UserId; app_id: AppId | null; device: Device },
): Promise<void> {
  const expires_at = addDays(now, facts.app_id === null ? SESSION_DAYS : LIMITED_SESSION_DAYS)
  const { browser, network } = facts.device
  await db.run(sql`insert into sessions
    (token_hash, id, user_id, app_id, created_at, authenticated_at, last_seen_at, expires_at,
      browser, network)
    values (${sha256(facts.token)}, ${facts.id}, ${facts.user_id}, ${facts.app_id}, ${now},
      ${now}, ${now}, ${expires_at}, ${browser}, ${network})`)
}

/**
 * The live session of a secret; undefined for a locked account, and for a session of one purchase
 * once the mailbox is verified: who bought may be another person than who verified it.
 */
export async function findSession(db: Db, now: Date, token: string): Promise<Session | undefined> {
  return await db.maybe<Session>(sql`
    select s.id, s.user_id, s.app_id, s.seller_id,
      case when s.viewing_until > ${now} and u.staff_role = any(${rolesWith('viewing')})
        then s.viewing_seller_id end as viewing_seller_id, s.viewing_until,
      u.email, u.email_normalized, u.email_verified_at, s.authenticated_at, s.last_seen_at
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${sha256(token)} and ${isLive(now)} and u.locked_at is null
      and (s.app_id is null or u.email_verified_at is null)`)
}

/** Opens the pages of another seller in a session. */
export async function chooseSeller(db: Db, id: SessionId, seller_id: SellerId): Promise<void> {
  await db.run(sql`update sessions set seller_id = ${seller_id} where id = ${id}`)
}

/** Opens the pages of a seller in a session that a member entered from live mode. */
export async function enterFromLive(
  db: Db,
  id: SessionId,
  { seller_id, live_session_id }: { seller_id: SellerId; live_session_id: SessionId },
): Promise<void> {
  await db.run(sql`update sessions set seller_id = ${seller_id},
    live_session_id = ${live_session_id} where id = ${id}`)
}

/** Up to `limit` sessions in live mode from which members entered, by id, after this one. */
export async function enteredFrom(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<SessionId[]> {
  const rows = await db.rows<{ id: SessionId }>(sql`
    select distinct live_session_id as id from sessions
    where live_session_id > ${after} order by live_session_id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Ends the sessions entered from these sessions in live mode; returns whose they were. */
export async function endEntered(db: Db, live_session_ids: SessionId[]): Promise<UserId[]> {
  const ended = await db.rows<{ user_id: UserId }>(sql`delete from sessions
    where live_session_id = any(${live_session_ids}) returning user_id`)
  return [...new Set(ended.map(({ user_id }) => user_id))]
}

/** Which of these sessions are live, of accounts that are not locked. */
export async function liveSessions(
  db: Db,
  now: Date,
  ids: readonly SessionId[],
): Promise<SessionId[]> {
  const rows = await db.rows<{ id: SessionId }>(sql`
    select s.id from sessions s join users u on u.id = s.user_id
    where s.id = any(${ids}) and ${isLive(now)} and u.locked_at is null`)
  return rows.map(({ id }) => id)
}

/** How long staff can view a seller's pages at a time, in minutes. */
const VIEWING_MINUTES = 30

/** Opens the pages of a seller in a session of staff, for half an hour; null ends it. */
export async function setViewing(
  db: Db,
  now: Date,
  { id, seller_id }: { id: SessionId; seller_id: SellerId | null },
): Promise<void> {
  await db.run(sql`update sessions set viewing_seller_id = ${seller_id},
    viewing_until = ${seller_id === null ? null : addSeconds(now, VIEWING_MINUTES * 60)}
    where id = ${id}`)
}

/** Records that a session was used, unless that was recorded a moment ago. */
export async function recordSeen(db: Db, now: Date, session: Session): Promise<void> {
  if (now.getTime() - session.last_seen_at.getTime() < SEEN_SECONDS * 1000) return
  await db.run(sql`update sessions set last_seen_at = ${now} where id = ${session.id}`)
}

/** Continues a session under a new secret, as its owner authenticated again. */
export async function renewSession(
  db: Db,
  now: Date,
  facts: { session_id: SessionId; token: string },
): Promise<void> {
  await db.run(sql`update sessions set token_hash = ${sha256(facts.token)},
    authenticated_at = ${now}, last_seen_at = ${now} where id = ${facts.session_id}`)
}

/** The live sessions of an account, the most recently used first. */
export async function listSessions(db: Db, now: Date, user_id: UserId): Promise<SessionRecord[]> {
  return await db.rows<SessionRecord>(sql`
    select s.id, s.created_at, s.last_seen_at, s.browser, s.network
    from sessions s join users u on u.id = s.user_id
    where s.user_id = ${user_id} and ${isLive(now)} order by s.last_seen_at desc, s.id`)
}

/** Whether an account still has a session, which then cannot end until the transaction does. */
export async function keepsSession(
  tx: Db,
  { user_id, session_id }: { user_id: UserId; session_id: SessionId },
): Promise<boolean> {
  await lockAgainstSignIns(tx, user_id)
  const found = await tx.maybe(sql`select id from sessions
    where id = ${session_id} and user_id = ${user_id} for share`)
  return found !== undefined
}

/** Ends the session of a secret. */
export async function endSession(db: Db, token: string): Promise<void> {
  await db.run(sql`delete from sessions where token_hash = ${sha256(token)}`)
}

/** Ends one session of an account by its id; false if the account has no such session. */
export async function endSessionById(
  db: Db,
  facts: { user_id: UserId; session_id: SessionId },
): Promise<boolean> {
  const ended = await db.run(sql`delete from sessions
    where id = ${facts.session_id} and user_id = ${facts.user_id}`)
  return ended === 1
}

/**
 * Ends every session of an account except this one, and pending sign-ins. Returns the number of
 * sessions.
 */
export async function endOtherSessions(
  db: Db,
  facts: { user_id: UserId; session_id: SessionId },
): Promise<number> {
  await lockAgainstSignIns(db, facts.user_id)
  await db.run(sql`delete from pending_sign_ins where user_id = ${facts.user_id}`)
  return await db.run(sql`delete from sessions
    where user_id = ${facts.user_id} and id <> ${facts.session_id}`)
}
