import { addSeconds } from '#platform/calendar'
import { sql } from '#platform/sql'
import type { RecordedSignature } from './access-record.ts'
import type { Broken } from './calendar-oracle.ts'
import { endsOfSessions, mayBeIn, wasPasskey } from './factor-times.ts'
import type { Fixture } from './fixture.ts'
import { wasOn } from './switches.ts'

/** Compares who got in with a passkey with what devices signed, and with what their owners did. */
export async function passkeyFaults(fixture: Fixture): Promise<Broken[]> {
  const { record } = fixture
  return [
    {
      rule: 'a passkey is right only for its account, while it has the passkey',
      facts: record.signatures.filter((each) => isRight(each) && isOfNoOne(fixture, each)),
    },
    {
      rule: 'what a passkey signed is right once, within five minutes',
      facts: record.signatures.filter((each) => isRight(each) && isUsedUp(fixture, each)),
    },
    {
      rule: 'a passkey counts up, and a copy of it does not',
      facts: record.signatures.filter((each) => isRight(each) && isBehind(fixture, each)),
    },
    {
      rule: 'a passkey is right unless something is wrong with it',
      facts: record.signatures.filter((each) => isWronglyWrong(fixture, each)),
    },
    {
      rule: 'an account has the passkeys that its owner added and did not remove',
      facts: await otherPasskeys(fixture),
    },
  ].filter(({ facts }) => facts.length > 0)
}

/** Whether a signature was answered as right. */
const isRight = ({ outcome }: RecordedSignature) => /^(signed_in|proven)$/.test(outcome)

/** Whether a signature may have been used up: also if its answer was lost, or came too late. */
const mayBeRight = ({ outcome }: RecordedSignature) => !/^(wrong|wrong password)$/.test(outcome)

function isOfNoOne(fixture: Fixture, signature: RecordedSignature): boolean {
  const { passkey, user_id, purpose, is_verified, at, until } = signature
  if (passkey.user_id !== user_id) return true
  // Without a second factor, the device itself verifies its user.
  if (!is_verified && purpose !== 'second_factor') return true
  const isLocked = wasOn(fixture, `open ${user_id}`, { at, until: until! }) === false
  return isLocked || !wasPasskey(fixture, passkey, { from: at, until: until! }).ever
}

const CHALLENGE_SECONDS = 300

function isUsedUp({ record }: Fixture, signature: RecordedSignature): boolean {
  const { text, challenged_at, at } = signature
  const others = record.signatures.filter((other) => other !== signature && other.text === text)
  const isBefore = others.some((other) => {
    return /^(wrong|signed_in|proven)$/.test(other.outcome) && other.until! < at
  })
  const isExpired = addSeconds(challenged_at, CHALLENGE_SECONDS) < at
  return isExpired || isBefore || others.some(isRight)
}

function isBehind({ record }: Fixture, signature: RecordedSignature): boolean {
  const { passkey, counter, at } = signature
  if (!passkey.is_counting) return false
  return record.signatures.some((other) => {
    if (other === signature || other.passkey !== passkey || !isRight(other)) return false
    const isBefore = other.until! < at && other.counter > counter
    return isBefore || other.counter === counter
  })
}

function isWronglyWrong(fixture: Fixture, signature: RecordedSignature): boolean {
  const { record } = fixture
  const { passkey, user_id, purpose, outcome, text, is_verified, counter } = signature
  if (outcome !== 'wrong' || passkey.user_id !== user_id) return false
  if (!is_verified && purpose !== 'second_factor') return false
  const { at, challenged_at, until } = signature
  if (addSeconds(challenged_at, CHALLENGE_SECONDS) <= until!) return false
  const others = record.signatures.filter((other) => other !== signature && other.at <= until!)
  if (others.some((other) => other.text === text)) return false
  const isCopied = others.some((other) => {
    return other.passkey === passkey && mayBeRight(other) && other.counter >= counter
  })
  if (passkey.is_counting && isCopied) return false
  if (!wasPasskey(fixture, passkey, { from: at, until: until! }).always) return false
  const since = { from: challenged_at, until: until! }
  // What ends all sessions ends the challenges of the account.
  if (endsOfSessions(fixture, user_id).some((end) => mayBeIn(end, since))) return false
  return wasOn(fixture, `open ${user_id}`, { at, until: until! }) === true
}

/** Passkeys that are stored or missing, against the answers to their owners. */
async function otherPasskeys(fixture: Fixture): Promise<unknown[]> {
  const { harness, record } = fixture
  const now = harness.clock.now()
  const rows = await harness.db.rows<{ user_id: string; credential_id: string }>(
    sql`select user_id, credential_id from passkeys`,
  )
  return record.passkeys.flatMap((passkey) => {
    const { user_id, device } = passkey
    const { ever, always } = wasPasskey(fixture, passkey, { from: now, until: now })
    const stored = rows.find(({ credential_id }) => credential_id === device.id)
    if (stored ? ever && stored.user_id === user_id : !always) return []
    return [
      { user_id, stored, changes: record.security.filter((each) => each.passkey === passkey) },
    ]
  })
}
