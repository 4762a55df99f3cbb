import * as identity from '#domain/identity'
import { type Owner, remakeRecoveryCodes, removeAuthenticator } from '#flows/account'
import { finishSignIn, proveAgain } from '#flows/sign-in'
import { requireRecentProof, type SessionContext } from '#http/guards/session'
import { AnsweredByGuard } from '#http/pages'
import type { SessionId, UserId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { ORIGIN } from './account-actions.ts'
import type { Typed } from './factor-phones.ts'
import type { RecordedEntry, RecordedFactorChange, RecordedTry } from './factor-record.ts'
import type { Fixture } from './fixture.ts'
import type { RecordedStep } from './record.ts'

const DEVICE = { browser: 'A test', network: '127.0.0.*' }

/** A session of an account, and between which times its owner proved last who they are. */
export interface KnownSession {
  user_id: UserId
  token: string
  proven: { at: Date; until: Date }
}

/** Records a step of an account, with its outcome. A second passes before and after it. */
async function take<Step extends RecordedStep>(
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

const begin = ({ harness }: Fixture, user_id: UserId): RecordedStep => {
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
  return { outcome, session: { user_id, token: opened, proven: { at, until: until! } } }
}

const answerOf = ({ kind, text }: Typed) => ({
  kind: kind === 'recovery_code' ? kind : ('code' as const),
  text,
  browser_hash: sha256('a browser'),
})

/** The owner of a session, as flows know them; undefined if it ended. */
export async function ownerOfSession(
  { world }: Fixture,
  { token }: KnownSession,
): Promise<{ owner: Owner; session: identity.Session } | undefined> {
  const session = await identity.findSession(world.db, world.clock.now(), token)
  if (!session) return undefined
  const { user_id, email, id: session_id } = session
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
  session: identity.Session,
  typed: Typed,
): Promise<{ outcome: string; session?: KnownSession }> {
  const { world, record } = fixture
  const { user_id } = session
  const begun: RecordedTry = { ...begin(fixture, user_id), ...typed }
  record.tries.push(begun)
  let renewed: string | undefined
  const { outcome, at, until } = await take(fixture, begun, async () => {
    const proof = { password: undefined, factor: answerOf(typed), origin: ORIGIN, known: undefined }
    const proven = await proveAgain(world, session, proof)
    if (proven.outcome === 'proven') renewed = proven.token
    return proven.outcome
  })
  if (!renewed) return { outcome }
  return { outcome, session: { user_id, token: renewed, proven: { at, until: until! } } }
}

/** Records a change of an account's second factors. */
export async function changeFactors(
  fixture: Fixture,
  { what, owner }: Pick<RecordedFactorChange, 'what'> & { owner: Owner },
  ask: () => Promise<Pick<RecordedFactorChange, 'is_made'> & { outcome: string }>,
): Promise<RecordedFactorChange> {
  const { harness, record } = fixture
  const { user_id, session_id } = owner
  const found = await harness.db.rows<{ id: SessionId }>(
    sql`select id from sessions where user_id = ${user_id}`,
  )
  const sessions = found.map(({ id }) => id)
  const change: RecordedFactorChange = { ...begin(fixture, user_id), what, session_id, sessions }
  record.factors.push(change)
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
  const change = await changeFactors(fixture, { what: 'removed', owner }, async () => {
    await removeAuthenticator(fixture.world, owner)
    return { is_made: true, outcome: 'turned off' }
  })
  return change.outcome
}

/** Makes new recovery codes, which their owner keeps. */
export async function remakeCodes(fixture: Fixture, owner: Owner): Promise<string> {
  const { world, record } = fixture
  let codes: string[] | undefined
  const made = await changeFactors(fixture, { what: 'codes_made', owner }, async () => {
    codes = await remakeRecoveryCodes(world, owner)
    return { is_made: codes !== undefined, outcome: codes ? 'new codes' : 'no factor' }
  })
  if (codes) record.recovery_codes.push({ user_id: owner.user_id, codes, made })
  return made.outcome
}
