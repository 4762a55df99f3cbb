import { addSeconds } from '#platform/calendar'
import type { SessionId } from '#platform/ids'
import { sql } from '#platform/sql'
import type {
  KnownSession,
  RecordedLogin,
  RecordedSessionUse,
  RecordedTokenUse,
} from './access-record.ts'
import type { Broken } from './calendar-oracle.ts'
import { changesOf, type End, endsOfSessions, mayBeIn, wasApp, wasPasskey } from './factor-times.ts'
import type { Fixture } from './fixture.ts'
import { wasOn } from './switches.ts'

/** Compares the sessions and tokens that were accepted with what ended them. */
export async function sessionFaults(fixture: Fixture): Promise<Broken[]> {
  const { record } = fixture
  return [
    {
      rule: 'a change of security leaves no other session',
      facts: await sessionsLeft(fixture),
    },
    {
      rule: 'a session that ended is not accepted',
      facts: record.session_uses.filter((use) => isWronglyAccepted(fixture, use)),
    },
    {
      rule: 'a session is accepted until something ends it',
      facts: record.session_uses.filter((use) => isWronglyRefused(fixture, use)),
    },
    {
      rule: 'a token that was revoked is not accepted',
      facts: tokenUses(fixture, isTokenOver),
    },
    {
      rule: 'a token is accepted until something revokes it',
      facts: tokenUses(fixture, isTokenMissing),
    },
  ].filter(({ facts }) => facts.length > 0)
}

/** The sessions from before a change that are still there. */
async function sessionsLeft(fixture: Fixture): Promise<unknown[]> {
  const { harness, record } = fixture
  const ended = record.security.flatMap((change) => {
    const { what, is_made, user_id, at, passkey, sessions, session_id } = change
    if (!is_made || what === 'codes_made' || what === 'app_disconnected') return []
    if (change.ended) return [change.ended]
    const period = { from: at, until: at }
    const apps = record.authenticators.filter((app) => app.user_id === user_id)
    const hadOne = apps.some((app) => wasApp(fixture, app, period).always)
    if (what === 'removed' && !hadOne) return []
    const isOff = what === 'passkey_removed' && !wasPasskey(fixture, passkey!, period).always
    if (isOff) return []
    // Of two changes at once, one may end the session of the other.
    return sessions.filter((id) => id !== session_id)
  })
  return await harness.db.rows(sql`select id, user_id from sessions where id = any(${ended})`)
}

/** What ended a session, or may have. */
function endsOf(fixture: Fixture, { user_id, id }: KnownSession): End[] {
  const isOwn = (session_id: SessionId | undefined) => session_id !== undefined && session_id === id
  const ended = changesOf(fixture, user_id).filter((each) => each.ended !== undefined)
  // A link that verifies an email for the first time ends what was opened before.
  const verified = fixture.record.uses.filter((use) => {
    return use.user_id === user_id && use.link.purpose === 'sign_in' && use.outcome !== 'used'
  })
  return [
    ...verified.map(({ at, until }) => ({ at, ...(until && { until }), is_sure: false })),
    ...endsOfSessions(fixture, user_id)
      .filter((end) => !isOwn(end.session_id))
      .map((end) => ({ ...end, is_sure: end.is_sure && (id !== undefined || !end.session_id) })),
    ...ended
      .filter((each) => id === undefined || each.ended === id)
      .map(({ at, until, is_made }) => {
        return { at, ...(until && { until }), is_sure: is_made === true && id !== undefined }
      }),
  ]
}

const DAY = 86_400
const IDLE_SECONDS = 7 * DAY
const MOST_SECONDS = 30 * DAY
/** The last use is not written each time. */
const SEEN_SECONDS = 300

/** When a session was surely used last before a time, and when it may have been. */
function lastUses({ record }: Fixture, { opened }: KnownSession, before: Date) {
  const own = record.signed_in.filter((each) => each.opened === opened)
  const uses = record.session_uses.filter(({ session, way, outcome, at }) => {
    return session.opened === opened && way === 'page' && outcome !== 'refused' && at < before
  })
  const proofs = own.flatMap(({ replacing }) => replacing).filter(({ at }) => at < before)
  const accepted = uses.filter(({ outcome }) => outcome === 'accepted')
  const may = [...uses, ...proofs].map(({ until = before }) => until.getTime())
  return {
    sure: new Date(Math.max(opened.at.getTime(), ...accepted.map(({ at }) => at.getTime()))),
    may: new Date(Math.max(opened.until.getTime(), ...may)),
  }
}

function isWronglyAccepted(fixture: Fixture, use: RecordedSessionUse): boolean {
  const { session, outcome, at, until, way, user_id } = use
  if (outcome !== 'accepted') return false
  const isOver = ({ is_sure, ...end }: End) =>
    is_sure && end.at > session.opened.until && end.until !== undefined && end.until < at
  if (endsOf(fixture, session).some(isOver)) return true
  const isReplaced = session.replacing.some((by) => by.outcome === 'proven' && by.until! < at)
  if (isReplaced && way === 'page') return true
  if (addSeconds(session.opened.until, MOST_SECONDS) < at) return true
  if (addSeconds(lastUses(fixture, session, at).may, IDLE_SECONDS) < at) return true
  return wasOn(fixture, `open ${user_id}`, { at, until: until! }) === false && way === 'page'
}

function isWronglyRefused(fixture: Fixture, use: RecordedSessionUse): boolean {
  const { session, outcome, until, user_id } = use
  if (outcome !== 'refused') return false
  const since = { from: session.opened.at, until: until! }
  if (endsOf(fixture, session).some((end) => mayBeIn(end, since))) return false
  if (session.replacing.some(({ outcome: said }) => !/^(wrong|too_often)/.test(said))) return false
  if (addSeconds(session.opened.at, MOST_SECONDS) <= until!) return false
  const { sure } = lastUses(fixture, session, use.at)
  if (addSeconds(sure, IDLE_SECONDS - SEEN_SECONDS) <= until!) return false
  return wasOn(fixture, `open ${user_id}`, { at: since.from, until: until! }) === true
}

/** The uses of tokens for which something is true. */
function tokenUses(
  fixture: Fixture,
  isSo: (fixture: Fixture, login: RecordedLogin, use: RecordedTokenUse) => boolean,
): unknown[] {
  return fixture.record.logins.flatMap((login) =>
    login.uses.filter((use) => isSo(fixture, login, use)).map((use) => ({ ...login, use })),
  )
}

/** What revoked the tokens of a login, or may have. */
function endsOfLogin(fixture: Fixture, { user_id, client, uses }: RecordedLogin): End[] {
  const own = changesOf(fixture, user_id).filter((each) => {
    return client === 'agent' ? each.ended !== undefined : each.client === client
  })
  const reused = uses.filter(({ way }) => way === 'reuse')
  // Another seller of the app gets another client secret, and no tokens of its users.
  const transferred = fixture.record.sellers.filter(({ subject }) => subject === client)
  return [
    ...endsOfSessions(fixture, user_id),
    ...own.map(({ at, until, is_made, what }) => {
      // A session that had ended before ends nothing of an agent.
      const is_sure = is_made === true && what !== 'session_ended'
      return { at, ...(until && { until }), is_sure }
    }),
    ...transferred.map(({ at, ended_at, is_made }) => {
      return { at, ...(ended_at && { until: ended_at }), is_sure: is_made === true }
    }),
    ...reused.map(({ at, until, outcome }) => {
      return { at, ...(until && { until }), is_sure: outcome === 'refused' }
    }),
  ]
}

const HOUR = 3600

function isTokenOver(fixture: Fixture, login: RecordedLogin, use: RecordedTokenUse): boolean {
  const { outcome, at, way, index } = use
  if (outcome !== 'accepted') return false
  if (way === 'reuse') return true
  const isOver = endsOfLogin(fixture, login).some(({ is_sure, ...end }) => {
    return is_sure && end.at > login.opened.until && end.until !== undefined && end.until < at
  })
  const { until } = login.tokens[index]!.issued
  return isOver || addSeconds(until, way === 'access' ? HOUR : MOST_SECONDS) < at
}

function isTokenMissing(fixture: Fixture, login: RecordedLogin, use: RecordedTokenUse): boolean {
  const { outcome, way, index, until } = use
  if (outcome !== 'refused' || way === 'reuse') return false
  const { issued } = login.tokens[index]!
  if (addSeconds(issued.at, way === 'access' ? HOUR : MOST_SECONDS) <= until!) return false
  // After a lost answer the client has an old token.
  const isLost = login.uses.some((each) => each.way === 'refresh' && each.outcome === 'unknown')
  if (isLost) return false
  const isUsed = login.uses.some((other) => {
    return other !== use && other.way === 'refresh' && other.index === index
  })
  if (isUsed && way === 'refresh') return false
  const since = { from: login.opened.at, until: until! }
  return !endsOfLogin(fixture, login).some((end) => mayBeIn(end, since))
}
