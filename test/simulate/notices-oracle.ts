import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { SecurityStep } from './factor-record.ts'
import type { Fixture } from './fixture.ts'

/** The changes that the audit log names and their owner is notified of. */
const NOTED: Partial<Record<SecurityStep, string>> = {
  confirmed: 'authenticator_added',
  removed: 'authenticator_removed',
  codes_made: 'recovery_codes_made',
  passkey_added: 'passkey_added',
  passkey_removed: 'passkey_removed',
  password_changed: 'password_changed',
  password_reset: 'set_password',
  others_ended: 'other_sessions_ended',
  session_ended: 'session_ended',
  signed_out: 'signed_out',
  app_disconnected: 'app_disconnected',
}
/** Changes that are noted only if there was something to change. */
const MAY_CHANGE_NOTHING = new Set<SecurityStep>([
  'removed',
  'passkey_removed',
  'others_ended',
  'session_ended',
  'app_disconnected',
])

interface Counted {
  user_id: UserId
  what: string
  count: number
}

/** Compares the audit log and the emails with the changes that owners made. */
export async function noticeFaults(fixture: Fixture): Promise<Broken[]> {
  const { db } = fixture.harness
  const noted = await db.rows<Counted>(sql`select subject as user_id,
      replace(action, 'account.', '') as what, count(*)::int as count
    from audit_log where action like 'account.%' group by 1, 2`)
  const emailed = await db.rows<Counted>(sql`select subject_id as user_id,
      facts->>'what' as what, count(*)::int as count
    from emails where kind = 'security' group by 1, 2`)
  return [
    {
      rule: 'the audit log has each change of security, once',
      facts: differences(fixture, noted),
    },
    {
      rule: 'the owner gets one email for each change of security',
      facts: unsent(noted, emailed),
    },
  ].filter(({ facts }) => facts.length > 0)
}

function differences({ record }: Fixture, noted: readonly Counted[]): unknown[] {
  const changes = record.security.filter(({ what }) => NOTED[what] !== undefined)
  const groups = Map.groupBy(changes, ({ user_id, what }) => `${user_id} ${NOTED[what]}`)
  return [...groups].flatMap(([key, asked]) => {
    const count = noted.find(({ user_id, what }) => `${user_id} ${what}` === key)?.count ?? 0
    const most = asked.filter(({ is_made }) => is_made !== false).length
    const sure = asked.filter(({ is_made, what }) => is_made && !MAY_CHANGE_NOTHING.has(what))
    return count < sure.length || count > most ? [{ key, count, asked }] : []
  })
}

/** Of which there is an email for each entry in the audit log. */
const EMAILED = [
  'authenticator_added',
  'authenticator_removed',
  'recovery_codes_made',
  'recovery_code_used',
  'passkey_added',
  'passkey_removed',
]

function unsent(noted: readonly Counted[], emailed: readonly Counted[]): unknown[] {
  const countOf = (all: readonly Counted[], of: Counted['user_id'], name: string) =>
    all.find(({ user_id, what }) => user_id === of && what === name)?.count ?? 0
  const people = new Set([...noted, ...emailed].map(({ user_id }) => user_id))
  return [...people].flatMap((user_id) => {
    const wrong = EMAILED.filter((what) => {
      return countOf(noted, user_id, what) !== countOf(emailed, user_id, what)
    })
    const changed = countOf(noted, user_id, 'password_changed')
    const sent = countOf(emailed, user_id, 'password_changed')
    // The first password of an account, set by a link, is not a change.
    const most = changed + countOf(noted, user_id, 'set_password')
    if (sent < changed || sent > most) wrong.push('password_changed')
    return wrong.length > 0 ? [{ user_id, wrong }] : []
  })
}
