import type { RecordedPasswordTry } from './access-record.ts'
import type { Broken } from './calendar-oracle.ts'
import { changesOf, type End, endsOfAccount, had } from './factor-times.ts'
import type { Fixture } from './fixture.ts'
import { wasOn } from './switches.ts'

/** Compares who got in with a password with the passwords that owners set. */
export async function passwordFaults(fixture: Fixture): Promise<Broken[]> {
  const { password_tries } = fixture.record
  return [
    {
      rule: 'a password is right only until another is set, or an undone change of email removes it',
      facts: password_tries.filter((tried) => {
        return /^(session|pending)$/.test(tried.outcome) && !was(fixture, tried).ever
      }),
    },
    {
      rule: 'a password is wrong only if another was set, or it was removed',
      facts: password_tries.filter((tried) => isWronglyWrong(fixture, tried)),
    },
    {
      rule: 'a password opens no account but that of its email',
      facts: password_tries.filter(({ outcome }) => outcome === 'of another'),
    },
  ].filter(({ facts }) => facts.length > 0)
}

/** Whether a password was that of its account at any, and at every time of a try. */
function was(fixture: Fixture, { user_id, text, at, until }: RecordedPasswordTry) {
  const set = changesOf(fixture, user_id).filter(({ password }) => password !== undefined)
  const ends: End[] = [
    // The owner has no password after it: another person may have changed it.
    ...endsOfAccount(fixture, user_id).map(({ since: _, ...end }) => end),
    ...set
      .filter(({ password }) => password !== text)
      .map((each) => ({ ...each, is_sure: each.is_made === true })),
  ]
  const beginnings = set.filter(({ password }) => password === text)
  return had(beginnings, ends, { from: at, until: until! })
}

function isWronglyWrong(fixture: Fixture, tried: RecordedPasswordTry): boolean {
  const { user_id, at, until, outcome } = tried
  if (outcome !== 'wrong' || !was(fixture, tried).always) return false
  // They typed the email that the account had when they began.
  const changed = fixture.record.emails.some((change) => {
    return change.subject === user_id && change.is_made !== false
  })
  return !changed && wasOn(fixture, `open ${user_id}`, { at, until: until! }) === true
}
