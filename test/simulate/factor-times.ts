import type { UserId } from '#platform/ids'
import { isDeletion } from './accounts-oracle.ts'
import type { RecordedApp, RecordedCodes, RecordedFactorChange } from './factor-record.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedStep } from './record.ts'

/** A period of time; without an end, it has not ended. */
interface Period {
  from: Date
  until: Date
}

/** Something that ended what an account had, or may have: its answer was lost. */
interface End extends Pick<RecordedStep, 'at' | 'until'> {
  is_sure: boolean
}

/** The deletions of an account, and the changes of its email that were undone. */
function endsOfAccount({ record }: Fixture, user_id: UserId): (End & { is_undo: boolean })[] {
  const deletions = record.emails.filter((each) => each.subject === user_id && isDeletion(each))
  const undone = record.uses.filter((use) => {
    return use.user_id === user_id && use.link.purpose === 'undo_email'
  })
  return [
    ...deletions
      .filter(({ is_made }) => is_made !== false)
      .map(({ at, ended_at, is_made }) => {
        return {
          at,
          ...(ended_at && { until: ended_at }),
          is_sure: is_made === true,
          is_undo: false,
        }
      }),
    ...undone
      .filter(({ outcome }) => outcome !== 'used')
      .map((use) => ({ ...use, is_sure: false, is_undo: true })),
  ]
}

/** What ended the sessions and the pending sign-ins of an account, or may have. */
export function endsOfSessions(fixture: Fixture, user_id: UserId): End[] {
  const changes = changesOf(fixture, user_id).filter(({ what }) => what !== 'codes_made')
  return [
    ...endsOfAccount(fixture, user_id).map((end) => ({ ...end, is_sure: true })),
    ...changes.map((each) => ({
      ...each,
      // Nothing ends if there was no app to remove.
      is_sure: each.is_made === true && each.what === 'confirmed',
    })),
  ]
}

/** The changes of an account's factors that were made, or may have been. */
function changesOf({ record }: Fixture, user_id: UserId): RecordedFactorChange[] {
  return record.factors.filter((each) => each.user_id === user_id && each.is_made !== false)
}

/** Whether something can have happened in a period. */
export const mayBeIn = ({ at, until }: Pick<End, 'at' | 'until'>, period: Period) =>
  at <= period.until && (until === undefined || until >= period.from)

const removals = (fixture: Fixture, user_id: UserId): End[] => [
  ...endsOfAccount(fixture, user_id),
  ...changesOf(fixture, user_id)
    .filter(({ what }) => what === 'removed')
    .map((each) => ({ ...each, is_sure: each.is_made === true })),
]

/** Whether an authenticator app was an account's factor at any, and at every time of a period. */
export function wasApp(
  fixture: Fixture,
  { user_id, confirmed }: RecordedApp,
  period: Period,
): { ever: boolean; always: boolean } {
  const made = confirmed.filter(({ is_made }) => is_made !== false)
  return had(made, removals(fixture, user_id), period)
}

/** Whether recovery codes were an account's at any, and at every time of a period. */
export function wereCodes(
  fixture: Fixture,
  { user_id, made }: RecordedCodes,
  period: Period,
): { ever: boolean; always: boolean } {
  const replacing = changesOf(fixture, user_id)
    .filter((each) => each !== made && each.what !== 'removed')
    // Setting an app up makes codes only if there are none.
    .map((each) => ({ ...each, is_sure: each.is_made === true && each.what === 'codes_made' }))
  return had([made], [...removals(fixture, user_id), ...replacing], period)
}

function had(
  beginnings: readonly RecordedFactorChange[],
  ends: readonly End[],
  period: Period,
): { ever: boolean; always: boolean } {
  const ever = beginnings.some((begun) => {
    const isOver = ends.some(({ at, until, is_sure }) => {
      return is_sure && begun.until && at > begun.until && until && until < period.from
    })
    return begun.at <= period.until && !isOver
  })
  const always = beginnings.some((begun) => {
    const since = { from: begun.at, until: period.until }
    const isBefore = begun.is_made === true && begun.until! < period.from
    return isBefore && !ends.some((end) => mayBeIn(end, since))
  })
  return { ever, always }
}
