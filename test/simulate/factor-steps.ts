import type { FastifyRequest } from 'fastify'
import type * as identity from '#domain/identity'
import { type Owner, remakeRecoveryCodes, removeAuthenticator } from '#flows/account'
import { type FactorAnswer, finishSignIn, reauthenticate } from '#flows/sign-in'
import { requireRecentProof, type SessionContext } from '#http/guards/session'
import { AnsweredByGuard } from '#http/pages'
import { currentSession } from '#http/session'
import type { SessionId, UserId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import type {
  DoneBetween,
  KnownSession,
  RecordedSessionUse,
  RecordedSignature,
} from './access-record.ts'
import { ORIGIN } from './account-actions.ts'
import type { Typed } from './factor-phones.ts'
import type { RecordedEntry, RecordedSecurityChange, RecordedTry } from './factor-record.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedStep } from './record.ts'

export const DEVICE = { browser: 'A test', network: '127.0.0.*' }

/** Records a step of an account, with its outcome. A second passes before and after it. */
export async function take<Step extends RecordedStep>(
  { harness }: Fixture,
  step: Step,
  ask: () => Promise<string>,
): Promise<Step> {
  const { clock } = harness
  try {
    step.outcome = await ask()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    step.outcome = error.code
  } finally {
    step.until = clock.now()
    clock.pass(1)
  }
  return step
}

/** A step of an account that begins now. A second passes before. */
export const begin = ({ harness }: Fixture, user_id: UserId): RecordedStep => {
  harness.clock.pass(1)
  return { user_id, at: harness.clock.now(), outcome: 'unknown' }
}

/** Types a second factor to finish a sign-in; the session if it was right. */
export async function finish(
  fixture: Fixture,
  { entry, typed }: { entry: RecordedEntry; typed: Typed },
): Promise<{ outcome: string; session?: KnownSession }> {
  const { world, record } = fixture
  const { user_id, token } = entry
  const begun: RecordedTry = { ...begin(fixture, user_id), ...typed, entry }
  record.tries.push(begun)
  let opened: string | undefined
  const { outcome, at, until } = await take(fixture, begun, async () => {
    const facts = { token: token!, answer: answerOf(typed), device: DEVICE, origin: ORIGIN }
    const finished = await finishSignIn(world, facts)
    if (finished.outcome === 'signed_in') opened = finished.token
    return finished.outcome
  })
  if (!opened) return { outcome }
  return {
    outcome,
    session: recordSession(fixture, { user_id, token: opened }, { at, until: until! }),
  }
}

/** A browser keeps the secret of a session that was opened. */
export function recordSession(
  { record }: Fixture,
  session: Pick<KnownSession, 'user_id' | 'token'>,
  opened: DoneBetween,
): KnownSession {
  const known = { ...session, opened, proven: opened, replacing: [] }
  record.signed_in.push(known)
  return known
}

const answerOf = ({ kind, text }: Typed) => ({
  kind: kind === 'recovery_code' ? kind : ('code' as const),
  text,
  browser_hash: sha256('a browser'),
})

/** The owner of a session, as flows know them; undefined if it ended. */
export async function ownerOfSession(
  fixture: Fixture,
  known: KnownSession,
): Promise<{ owner: Owner; session: identity.Session } | undefined> {
  const { world, record } = fixture
  const use: RecordedSessionUse = {
    ...begin(fixture, known.user_id),
    session: known,
    way: 'page',
  }
  record.session_uses.push(use)
  let session: identity.Session | undefined
  await take(fixture, use, async () => {
    const request = { cookies: { '__Host-session': known.token } } as unknown as FastifyRequest
    session = await currentSession(world, request)
    return session ? 'accepted' : 'refused'
  })
  if (!session) return undefined
  const { user_id, email, id: session_id } = session
  known.id = session_id
  const { request_id } = ORIGIN
  return { session, owner: { kind: 'account', user_id, request_id, session_id, email } }
}

/** Whether the guard of the security page lets a session pass, without a proof of its owner. */
export async function isRecent(
  fixture: Fixture,
  known: KnownSession,
  session: identity.Session,
): Promise<boolean> {
  const { world, record } = fixture
  const { user_id, proven } = known
  const guard = { ...begin(fixture, user_id), proven }
  record.guards.push(guard)
  const { outcome } = await take(fixture, guard, async () => {
    try {
      const context = { request: { url: '/account/security/' }, session }
      requireRecentProof(world, context as unknown as SessionContext)
      return 'recent'
    } catch (error) {
      if (!(error instanceof AnsweredByGuard)) throw error
      return 'stale'
    }
  })
  return outcome === 'recent'
}

/** The owner of a session proves again who they are; the session if it worked. */
export async function prove(
  fixture: Fixture,
  known: KnownSession,
  session: identity.Session,
  typed: Typed,
): Promise<{ outcome: string; session?: KnownSession }> {
  const begun: RecordedTry = { ...begin(fixture, known.user_id), ...typed }
  fixture.record.tries.push(begun)
  return await proveBy(fixture, begun, { known, session, factor: answerOf(typed) })
}

/** Proves again who is the owner of a session, by the password that they set last and a factor. */
export async function proveBy(
  fixture: Fixture,
  begun: RecordedTry | RecordedSignature,
  proof: { known: KnownSession; session: identity.Session; factor: FactorAnswer },
): Promise<{ outcome: string; session?: KnownSession }> {
  const { world, record } = fixture
  const { known, session, factor } = proof
  const { user_id } = known
  const password = record.security.findLast((change) => {
    return change.user_id === user_id && change.password !== undefined
  })?.password
  known.replacing.push(begun)
  let renewed: string | undefined
  const { outcome, at, until } = await take(fixture, begun, async () => {
    const facts = { password, factor, origin: ORIGIN, known: undefined }
    const proven = await reauthenticate(world, session, facts)
    if (proven.outcome === 'proven') renewed = proven.token
    const isPassword = proven.outcome === 'wrong' && proven.part === 'password'
    return isPassword ? 'wrong password' : proven.outcome
  })
  if (!renewed) return { outcome }
  const again = { ...known, token: renewed, proven: { at, until: until! }, replacing: [] }
  record.signed_in.push(again)
  return { outcome, session: again }
}

/** A change of an account's security as a person asks for it, in a session or by a link. */
type AskedChange = Pick<
  RecordedSecurityChange,
  'what' | 'passkey' | 'password' | 'ended' | 'link' | 'client'
>
type SecurityAnswer = Pick<RecordedSecurityChange, 'is_made'> & { outcome: string }

/** Records a change of an account's security. */
export async function changeSecurity(
  fixture: Fixture,
  { owner, ...asked }: AskedChange & { owner: Pick<Owner, 'user_id'> & Partial<Owner> },
  ask: () => Promise<SecurityAnswer>,
): Promise<RecordedSecurityChange> {
  const { harness, record } = fixture
  const { user_id, session_id } = owner
  const found = await harness.db.rows<{ id: SessionId }>(
    sql`select id from sessions where user_id = ${user_id}`,
  )
  const sessions = found.map(({ id }) => id)
  const begun = begin(fixture, user_id)
  const change: RecordedSecurityChange = { ...begun, ...asked, session_id, sessions }
  record.security.push(change)
  await take(fixture, change, async () => {
    const { is_made, outcome } = await ask()
    if (is_made !== undefined) change.is_made = is_made
    return outcome
  })
  if (change.outcome === 'signed_out') change.is_made = false
  return change
}

/** Turns the authenticator app of an account off. */
export async function turnOff(fixture: Fixture, owner: Owner): Promise<string> {
  const change = await changeSecurity(fixture, { what: 'removed', owner }, async () => {
    await removeAuthenticator(fixture.world, owner)
    return { is_made: true, outcome: 'turned off' }
  })
  return change.outcome
}

/** Makes new recovery codes, which their owner keeps. */
export async function remakeCodes(fixture: Fixture, owner: Owner): Promise<string> {
  const { world, record } = fixture
  let codes: string[] | undefined
  const made = await changeSecurity(fixture, { what: 'codes_made', owner }, async () => {
    codes = await remakeRecoveryCodes(world, owner)
    return { is_made: codes !== undefined, outcome: codes ? 'new codes' : 'no factor' }
  })
  if (codes) record.recovery_codes.push({ user_id: owner.user_id, codes, made })
  return made.outcome
}
