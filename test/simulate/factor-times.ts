import type { UserId } from '#platform/ids'
import type { RecordedPasskey } from './access-record.ts'
import { isDeletion } from './accounts-oracle.ts'
import type {
  RecordedApp,
  RecordedCodes,
  RecordedSecurityChange,
  SecurityStep,
} from './factor-record.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedStep } from './record.ts'

/** A period of time; without an end, it has not ended. */
export interface Period {
  from: Date
  until: Date
}

/** Something that ended what an account had, or may have: its answer was lost. */
export interface End extends Pick<RecordedStep, 'at' | 'until'> {
  is_sure: boolean
  /** An undone change of email ends only what was set up after it was requested. */
  since?: Date
}

/** The deletions of an account, and the changes of its email that were undone. */
export function endsOfAccount({ record }: Fixture, user_id: UserId): End[] {
  const deletions = record.emails.filter((each) => each.subject === user_id && isDeletion(each))
  const undone = record.uses.filter((use) => {
    return use.user_id === user_id && use.link.purpose === 'undo_email'
  })
  return [
    ...deletions
      .filter(({ is_made }) => is_made !== false)
      .map(({ at, ended_at, is_made }) => {
        return { at, ...(ended_at && { until: ended_at }), is_sure: is_made === true }
      }),
    ...undone
      .filter(({ outcome }) => outcome !== 'used')
      .map(({ at, until, outcome, link }) => ({
        at,
        ...(until && { until }),
        is_sure: /^undone/.test(outcome),
        ...(link.requested_at && { since: link.requested_at }),
      })),
  ]
}

/** The changes after which an account has no other session, whatever there was to change. */
const ENDING: ReadonlySet<SecurityStep> = new Set([
  'confirmed',
  'passkey_added',
  'password_changed',
  'password_reset',
  'others_ended',
])
/** The same for changes of something that there may not have been. */
const REMOVING: ReadonlySet<SecurityStep> = new Set(['removed', 'passkey_removed'])

/** What ended the sessions and the pending sign-ins of an account, or may have. */
export function endsOfSessions(
  fixture: Fixture,
  user_id: UserId,
): (End & Partial<Pick<RecordedSecurityChange, 'session_id'>>)[] {
  const changes = changesOf(fixture, user_id)
  return [
    ...endsOfAccount(fixture, user_id).map(({ since: _, ...end }) => end),
    ...locksOf(fixture, user_id),
    ...changes
      .filter(({ what }) => ENDING.has(what) || REMOVING.has(what))
      .map(({ at, until, what, is_made, session_id }) => ({
        at,
        ...(until && { until }),
        is_sure: is_made === true && ENDING.has(what),
        session_id,
      })),
  ]
}

/** The undone changes of email that locked an account, as another one has the former email. */
function locksOf({ record }: Fixture, user_id: UserId): End[] {
  return record.uses
    .filter((use) => use.user_id === user_id && use.outcome === 'taken')
    .filter(({ link }) => link.purpose === 'undo_email')
    .map(({ at, until }) => ({ at, ...(until && { until }), is_sure: true }))
}

/** The changes of an account's security that were made, or may have been. */
export function changesOf({ record }: Fixture, user_id: UserId): RecordedSecurityChange[] {
  return record.security.filter((each) => each.user_id === user_id && each.is_made !== false)
}

/** Whether something can have happened in a period. */
export const mayBeIn = ({ at, until }: Pick<End, 'at' | 'until'>, period: Period) =>
  at <= period.until && (until === undefined || until >= period.from)

/** Changes as what they ended. */
const asEnds = (changes: readonly RecordedSecurityChange[]): End[] =>
  changes.map(({ at, until, is_made }) => {
    return { at, ...(until && { until }), is_sure: is_made === true }
  })

/** Whether an authenticator app was an account's factor at any, and at every time of a period. */
export function wasApp(
  fixture: Fixture,
  { user_id, confirmed }: RecordedApp,
  period: Period,
): { ever: boolean; always: boolean } {
  const made = confirmed.filter(({ is_made }) => is_made !== false)
  const removed = changesOf(fixture, user_id).filter(({ what }) => what === 'removed')
  return had(made, [...endsOfAccount(fixture, user_id), ...asEnds(removed)], period)
}

/** Whether a passkey was an account's at any, and at every time of a period. */
export function wasPasskey(
  fixture: Fixture,
  passkey: RecordedPasskey,
  period: Period,
): { ever: boolean; always: boolean } {
  const { user_id } = passkey
  const changes = changesOf(fixture, user_id).filter((each) => each.passkey === passkey)
  const of = (step: SecurityStep) => changes.filter(({ what }) => what === step)
  const ends = [...endsOfAccount(fixture, user_id), ...asEnds(of('passkey_removed'))]
  return had(of('passkey_added'), ends, period)
}

/** Whether an account had a second factor at any, and at every time of a period. */
export function hadFactor(
  fixture: Fixture,
  user_id: UserId,
  period: Period,
): { ever: boolean; always: boolean } {
  const { authenticators, passkeys } = fixture.record
  const isOwn = (each: { user_id: UserId }) => each.user_id === user_id
  const were = [
    ...authenticators.filter(isOwn).map((app) => wasApp(fixture, app, period)),
    ...passkeys.filter(isOwn).map((passkey) => wasPasskey(fixture, passkey, period)),
  ]
  return { ever: were.some(({ ever }) => ever), always: were.some(({ always }) => always) }
}

/** Whether recovery codes were an account's at any, and at every time of a period. */
export function wereCodes(
  fixture: Fixture,
  { user_id, made }: RecordedCodes,
  period: Period,
): { ever: boolean; always: boolean } {
  const changes = changesOf(fixture, user_id).filter((each) => each !== made)
  const of = (...steps: SecurityStep[]) =>
    asEnds(changes.filter(({ what }) => steps.includes(what)))
  const unsure = (ends: End[]) => ends.map((end) => ({ ...end, is_sure: false }))
  const hasPasskeys = fixture.record.passkeys.some((passkey) => passkey.user_id === user_id)
  // They are deleted with the last of the account's factors.
  const removed = of('removed')
  const ends = [
    ...endsOfAccount(fixture, user_id),
    ...(hasPasskeys ? unsure(removed) : removed),
    ...of('codes_made'),
    // A factor is set up with codes only if there are none.
    ...unsure(of('passkey_removed', 'confirmed', 'passkey_added')),
  ]
  return had([made], ends, period)
}

/**
 * Whether an account had something at any, and at every time of a period, that some changes began
 * and others ended.
 */
export function had(
  beginnings: readonly RecordedSecurityChange[],
  ends: readonly End[],
  period: Period,
): { ever: boolean; always: boolean } {
  const ever = beginnings.some((begun) => {
    const isOver = ends.some(({ at, until, is_sure, since }) => {
      const isAfter = begun.until !== undefined && at > begun.until
      const isOf = since === undefined || begun.at > since
      return is_sure && isOf && isAfter && until !== undefined && until < period.from
    })
    return begun.at <= period.until && !isOver
  })
  const always = beginnings.some((begun) => {
    const isBefore = begun.is_made === true && begun.until! < period.from
    const isEnded = ends.some((end) => {
      const isOf = end.since === undefined || begun.until! >= end.since
      return isOf && mayBeIn(end, { from: begun.at, until: period.until })
    })
    return isBefore && !isEnded
  })
  return { ever, always }
}
