import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import { mintId, type UserId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import { mintSecret } from '#platform/secrets'
import { countAttempts, type Refused, type TooManyAttempts, uncountAttempts } from './attempts.ts'
import { auditRefusedSignIn } from './audit-refused.ts'
import { checkPasskey } from './passkey.ts'
import { type KnownDevice, signInWithPassword } from './password.ts'

const ATTEMPTS: Limit = { name: 'second-factor', points: 5, seconds: 900 }

/** A second factor as it was submitted: a code, or the JSON of a passkey's response. */
export interface FactorAnswer {
  kind: 'code' | 'recovery_code' | 'passkey'
  text: string
  browser_hash: Buffer
}

type CheckedFactor = { outcome: 'right' } | Refused

const RIGHT: CheckedFactor = { outcome: 'right' }
const WRONG: CheckedFactor = { outcome: 'wrong' }

/** Checks a second factor: five wrong codes in 15 minutes block the account's second factor. */
async function checkFactor(
  world: World,
  user_id: UserId,
  answer: FactorAnswer & { purpose: 'second_factor' | 'confirm'; origin: Origin },
): Promise<CheckedFactor> {
  const { kind, text, browser_hash, purpose, origin } = answer
  // A signature cannot be guessed, so it does not count as an attempt.
  if (kind === 'passkey') {
    const signer = await checkPasskey(world, { purpose, user_id, browser_hash, text })
    return signer?.user_id === user_id ? RIGHT : WRONG
  }
  const attempts = [[ATTEMPTS, user_id]] as const
  const tooOften = await countAttempts(world, attempts)
  if (tooOften) return tooOften
  const check = kind === 'code' ? checkCode : checkRecoveryCode
  if (!(await check(world, { user_id, text, origin }))) return WRONG
  await uncountAttempts(world, attempts)
  return RIGHT
}

type TypedCode = { user_id: UserId; text: string; origin: Origin }

async function checkCode({ db, clock, keys }: World, { user_id, text }: TypedCode) {
  const app = await identity.findAuthenticator(db, user_id)
  if (!app) return false
  const secret = identity.openAuthenticatorSecret(keys, app)
  const step = identity.stepOfCode(secret, clock.now(), text)
  return step !== undefined && (await identity.takeStep(db, { user_id, step }))
}

async function checkRecoveryCode(world: World, { user_id, text, origin }: TypedCode) {
  const { db, clock, keys } = world
  const now = clock.now()
  const code_hashes = identity.recoveryCodeHashes(keys, user_id, text)
  return await db.tx(async (tx) => {
    if (!(await identity.useRecoveryCode(tx, now, { user_id, code_hashes }))) return false
    const facts = { what: 'recovery_code_used' } as const
    await queueFreshEmail(tx, now, world, { kind: 'security', subject_id: user_id, facts })
    const action = 'account.recovery_code_used'
    await audit(tx, now, { actor: accountActor(user_id, origin), action, subject: user_id })
    return true
  })
}

/** Verifies the second factor of a pending sign-in, and only then creates the session. */
export async function finishSignIn(
  world: World,
  facts: { token: string; answer: FactorAnswer; device: identity.Device; origin: Origin },
): Promise<
  { outcome: 'signed_in'; token: string; return_to: string | null } | { outcome: 'gone' } | Refused
> {
  const { db, clock, random } = world
  const pending = await identity.findPending(db, clock.now(), facts.token)
  if (!pending) return { outcome: 'gone' }
  const { user_id, return_to } = pending
  const { origin } = facts
  const answer = { ...facts.answer, purpose: 'second_factor', origin } as const
  const checked = await checkFactor(world, user_id, answer)
  const by = facts.answer.kind
  if (checked.outcome === 'wrong') {
    await auditRefusedSignIn(world, origin, { user_id, by, action: 'second_factor_refused' })
  }
  if (checked.outcome !== 'right') return checked
  const token = mintSecret(random)
  return await db.tx(async (tx) => {
    await identity.lockForSignIn(tx, user_id)
    if (!(await identity.endPending(tx, facts.token))) return { outcome: 'gone' }
    const now = clock.now()
    const session_id = mintId(random, 'ses')
    const session = { id: session_id, token, user_id, app_id: null }
    await identity.openSession(tx, now, { ...session, device: facts.device })
    const action = 'account.signed_in'
    const detail = { by, session_id }
    await audit(tx, now, { actor: accountActor(user_id, origin), action, subject: user_id, detail })
    return { outcome: 'signed_in', token, return_to }
  })
}

/** What was submitted to confirm the account's owner again. */
export interface Proof {
  password: string | undefined
  factor: FactorAnswer | undefined
  origin: Origin
  known: KnownDevice | undefined
}

/**
 * What was wrong with a proof: the password or the second factor; or there were too many attempts.
 */
export type ReauthenticationRefused =
  | { outcome: 'wrong'; part: 'password' | 'factor'; retry_after?: undefined }
  | TooManyAttempts

/**
 * Confirms again that a signed-in person is the account's owner, by all that the account has: its
 * password and its second factor. A passkey is both; an account that has neither signs in again by
 * email. The session gets a new secret.
 */
export async function reauthenticate(
  world: World,
  session: identity.Session,
  proof: Proof,
): Promise<{ outcome: 'proven'; token: string } | ReauthenticationRefused> {
  const refused = await refusalOf(world, session, proof)
  const { user_id, id: session_id } = session
  const { origin } = proof
  if (refused) {
    const by =
      refused.outcome === 'wrong' && refused.part === 'factor' ? proof.factor?.kind : undefined
    await auditRefusedSignIn(world, origin, {
      user_id,
      by: by ?? 'password',
      action: 'proof_refused',
    })
    return refused
  }
  const token = mintSecret(world.random)
  const now = world.clock.now()
  await world.db.tx(async (tx) => {
    await identity.renewSession(tx, now, { session_id, token })
    const action = 'account.proven_again'
    await audit(tx, now, {
      actor: accountActor(user_id, origin),
      action,
      subject: user_id,
      detail: { session_id },
    })
  })
  return { outcome: 'proven', token }
}

async function refusalOf(
  world: World,
  { user_id, email_normalized }: identity.Session,
  { password, factor, origin, known }: Proof,
): Promise<ReauthenticationRefused | undefined> {
  const user = await identity.getUser(world.db, user_id)
  const owes = identity.owesFactor(await identity.factorsOf(world.db, user_id))
  const isPasskey = factor?.kind === 'passkey'
  if (user.password_hash !== null && !isPasskey) {
    const claim = { email_normalized, origin, known, password: password ?? '' }
    const signedIn = await signInWithPassword(world, claim)
    if (signedIn.outcome === 'too_often') return signedIn
    if (signedIn.outcome === 'wrong') return { outcome: 'wrong', part: 'password' }
    if (!owes) return undefined
  }
  if (!factor) return { outcome: 'wrong', part: 'factor' }
  const checked = await checkFactor(world, user_id, { ...factor, purpose: 'confirm', origin })
  if (checked.outcome === 'too_often') return checked
  return checked.outcome === 'right' ? undefined : { outcome: 'wrong', part: 'factor' }
}
