import { addSeconds } from '#platform/calendar'
import type { EmailChangeId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { RecordedSignature } from './access-record.ts'
import type { Broken } from './calendar-oracle.ts'
import { readCode, stepAt } from './factor-phones.ts'
import type { RecordedEntry, RecordedGuard, RecordedTry } from './factor-record.ts'
import { endsOfSessions, hadFactor, mayBeIn, wasApp, wereCodes } from './factor-times.ts'
import type { Fixture } from './fixture.ts'
import { wasOn } from './switches.ts'

/**
 * Compares who was let into accounts with the second factors that their owners turned on and off,
 * and with what they typed.
 */
export async function factorFaults(fixture: Fixture): Promise<Broken[]> {
  const { record } = fixture
  return [
    {
      rule: 'a sign-in needs the second factor while the account has one, and only then',
      facts: record.entries.filter((entry) => isWrongEntry(fixture, entry)),
    },
    {
      rule: 'a second factor is right if it is of the account, current, and was not used',
      facts: [
        ...record.tries.filter((each) => isWronglyRight(fixture, each)),
        ...(await usedAgain(fixture)),
      ],
    },
    {
      rule: 'a second factor is wrong only if something is wrong with it',
      facts: record.tries.filter((each) => isWronglyWrong(fixture, each)),
    },
    {
      rule: 'a sign-in waits for its second factor for 15 minutes, and for one',
      facts: [...record.tries, ...record.signatures].filter((each) => {
        return isWronglyFinished(fixture, each)
      }),
    },
    {
      rule: 'an undone change of email leaves no second factor that was set up since',
      facts: await factorsLeft(fixture),
    },
    {
      rule: 'who proved who they are ten minutes ago proves it again',
      facts: record.guards.filter(isWrongGuard),
    },
  ].filter(({ facts }) => facts.length > 0)
}

function isWrongEntry(fixture: Fixture, { user_id, at, until, outcome }: RecordedEntry): boolean {
  if (!until) return false
  const { ever, always } = hadFactor(fixture, user_id, { from: at, until })
  return outcome === 'session' ? always : outcome === 'pending' && !ever
}

const RIGHT = new Set(['signed_in', 'proven', 'on'])

/** Whether a try was answered as right, or would have been. */
const isRight = ({ outcome }: RecordedTry) => RIGHT.has(outcome)

/** Whether a try may have used up what was typed: also if the rest of it failed. */
const mayUse = ({ outcome }: RecordedTry) => !/^(wrong|wrong password|too_often)$/.test(outcome)

/** Whether another try used up, or may have, what this one typed. */
function isUsedBy(other: RecordedTry, { kind, text, secret, step }: RecordedTry): boolean {
  if (kind === 'recovery_code') {
    return other.kind === kind && readCode(other.text) === readCode(text)
  }
  return other.secret === secret && other.step! >= step!
}

function isWronglyRight(fixture: Fixture, tried: RecordedTry): boolean {
  if (!isRight(tried)) return false
  const { record } = fixture
  const { user_id, kind, at, until } = tried
  const period = { from: at, until: until! }
  const before = record.tries.some((other) => {
    const isBefore = other.until !== undefined && other.until < at
    const isSame = other.step === tried.step && readCode(other.text) === readCode(tried.text)
    return other !== tried && isRight(other) && isUsedBy(other, tried) && (isBefore || isSame)
  })
  if (before) return true
  if (kind === 'recovery_code') {
    const sets = codesWith(fixture, tried).filter((set) => set.user_id === user_id)
    return !sets.some((set) => wereCodes(fixture, set, period).ever)
  }
  if (!isInTime(tried).ever) return true
  if (kind === 'setup') return false
  const apps = record.authenticators.filter((app) => app.secret === tried.secret)
  return !apps.some((app) => app.user_id === user_id && wasApp(fixture, app, period).ever)
}

/** The accounts that used more recovery codes than their owners typed. */
async function usedAgain({ harness, record }: Fixture): Promise<unknown[]> {
  const rows = await harness.db.rows<{ user_id: string; count: number }>(sql`
    select subject as user_id, count(*)::int as count from audit_log
    where action = 'account.recovery_code_used' group by 1`)
  const typed = record.tries.filter(({ kind }) => kind === 'recovery_code')
  return rows.filter(({ user_id, count }) => {
    const own = typed.filter((each) => each.user_id === user_id)
    return count > new Set(own.map(({ text }) => readCode(text))).size
  })
}

/** Whether a code was of the present time step, or next to it, at any and at every time. */
function isInTime({ step, at, until }: RecordedTry): { ever: boolean; always: boolean } {
  if (step === undefined) return { ever: false, always: false }
  const [first, last] = [stepAt(at), stepAt(until!)]
  return {
    ever: step >= first - 1 && step <= last + 1,
    always: step >= last - 1 && step <= first + 1,
  }
}

const codesWith = ({ record }: Fixture, { text }: RecordedTry) =>
  record.recovery_codes.filter(({ codes }) => {
    return codes.some((code) => readCode(code) === readCode(text))
  })

function isWronglyWrong(fixture: Fixture, tried: RecordedTry): boolean {
  const { record } = fixture
  const { user_id, kind, at, until, outcome, secret } = tried
  if (outcome !== 'wrong') return false
  const others = record.tries.filter((other) => {
    const isBefore = other.at <= until! && mayUse(other)
    return other !== tried && isBefore && isUsedBy(other, tried)
  })
  const period = { from: at, until: until! }
  if (kind === 'recovery_code') {
    const own = codesWith(fixture, tried).filter((set) => set.user_id === user_id)
    return others.length === 0 && own.some((set) => wereCodes(fixture, set, period).always)
  }
  if (!isInTime(tried).always) return false
  // A setup that began again has another secret.
  if (kind === 'setup') {
    const apps = record.authenticators.filter((app) => app.user_id === user_id)
    return apps.at(-1)?.secret === secret && others.length === 0
  }
  const apps = record.authenticators.filter((app) => app.secret === secret)
  const isOwn = apps.some((app) => {
    return app.user_id === user_id && wasApp(fixture, app, period).always
  })
  return isOwn && others.length === 0
}

const PENDING_SECONDS = 15 * 60

function isWronglyFinished(fixture: Fixture, tried: RecordedTry | RecordedSignature): boolean {
  const { record } = fixture
  const { entry, user_id, at, until, outcome } = tried
  if (!entry || !until) return false
  const ends = endsOfSessions(fixture, user_id)
  const others = [...record.tries, ...record.signatures].filter((other) => {
    return other !== tried && other.entry === entry
  })
  if (outcome === 'signed_in') {
    const isExpired = addSeconds(entry.until!, PENDING_SECONDS) <= at
    const isEnded = ends.some((end) => {
      return end.is_sure && end.at > entry.until! && end.until && end.until < at
    })
    return isExpired || isEnded || others.some((other) => other.outcome === outcome)
  }
  if (outcome !== 'gone' || addSeconds(entry.at, PENDING_SECONDS) <= until) return false
  const since = { from: entry.at, until }
  const isOpen = wasOn(fixture, `open ${user_id}`, { at: entry.at, until }) === true
  const isFinished = others.some(
    (other) => other.at <= until && /signed_in|unk/.test(other.outcome),
  )
  return isOpen && !isFinished && !ends.some((end) => mayBeIn(end, since))
}

async function factorsLeft({ harness, record }: Fixture): Promise<unknown[]> {
  const undone = record.uses.filter(({ link, outcome }) => {
    return link.purpose === 'undo_email' && /^undone/.test(outcome) && link.change_id
  })
  const left: unknown[] = []
  for (const { link, at } of undone) {
    const id: EmailChangeId = link.change_id!
    const between = sql`between c.created_at and ${at}`
    const rows = await harness.db.rows(sql`select a.user_id, a.confirmed_at as at
      from authenticator_apps a join email_changes c on c.user_id = a.user_id
      where c.id = ${id} and a.confirmed_at ${between}
      union all select p.user_id, p.created_at from passkeys p
        join email_changes c on c.user_id = p.user_id
      where c.id = ${id} and p.created_at ${between}
      union all select r.user_id, r.created_at from recovery_codes r
        join email_changes c on c.user_id = r.user_id
      where c.id = ${id} and r.created_at ${between}`)
    left.push(...rows)
  }
  return left
}

const RECENT_SECONDS = 10 * 60

function isWrongGuard({ proven, at, until, outcome }: RecordedGuard): boolean {
  if (!until) return false
  if (outcome === 'recent') return addSeconds(proven.until, RECENT_SECONDS) <= at
  return outcome === 'stale' && addSeconds(proven.at, RECENT_SECONDS) > until
}
