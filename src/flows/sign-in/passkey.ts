import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Origin } from '#platform/audit'
import type { PasskeyId, UserId } from '#platform/ids'
import type { Refused } from './attempts.ts'
import { auditRefusedSignIn } from './audit-refused.ts'

const CHALLENGE_BYTES = 32

/** Who must present a passkey, and why. */
interface PasskeyRequest {
  purpose: 'sign_in' | 'second_factor' | 'confirm'
  /** Null if the passkey itself identifies the account. */
  user_id: UserId | null
  browser_hash: Buffer
}

/** Without a password a passkey must be two factors: the device, and what unlocks it. */
function isAlone({ purpose }: PasskeyRequest): boolean {
  return purpose !== 'second_factor'
}

/** Creates a challenge, and returns the options with which the browser signs it. */
export async function passkeyRequestOptions(
  { db, clock, random, config }: World,
  asking: PasskeyRequest,
): Promise<object> {
  const bytes = random.bytes(CHALLENGE_BYTES)
  const challenge = bytes.toString('base64url')
  await identity.addChallenge(db, clock.now(), { ...asking, challenge })
  const { user_id } = asking
  const allowed = user_id === null ? [] : await identity.listPasskeys(db, user_id)
  const { base_url } = config
  const must_verify_user = isAlone(asking)
  return await identity.requestOptions({ base_url, challenge: bytes, allowed, must_verify_user })
}

/** The passkey that signed a challenge of ours; undefined if none did. */
export async function checkPasskey(
  { db, clock, config }: World,
  requested: PasskeyRequest & { text: string },
): Promise<identity.Passkey | undefined> {
  const answer = identity.readPasskeyAnswer(requested.text)
  const now = clock.now()
  if (!answer) return undefined
  const { challenge, credential_id } = answer
  const isOurs = await identity.useChallenge(db, now, { ...requested, challenge })
  const passkey = isOurs ? await identity.findPasskey(db, credential_id) : undefined
  if (!passkey || (requested.user_id !== null && passkey.user_id !== requested.user_id))
    return undefined
  const counter = await identity.verifySignature(config.base_url, answer, {
    passkey,
    must_verify_user: isAlone(requested),
  })
  if (counter === undefined) return undefined
  return (await identity.recordPasskeyUse(db, now, { id: passkey.id, counter }))
    ? passkey
    : undefined
}

/** A sign-in by a passkey, which `signIn` looks for again. */
export type SignedInByPasskey =
  | { outcome: 'signed_in'; user_id: UserId; passkey_id: PasskeyId }
  | Refused

/** Signs in with a passkey alone: the device and its owner's finger, face or PIN. */
export async function signInWithPasskey(
  world: World,
  { origin, ...facts }: { text: string; browser_hash: Buffer; origin: Origin },
): Promise<SignedInByPasskey> {
  const requested = { purpose: 'sign_in', user_id: null, ...facts } as const
  const passkey = await checkPasskey(world, requested)
  const user = passkey && (await identity.findUser(world.db, passkey.user_id))
  if (!user?.email_verified_at || user.locked_at) {
    await auditRefusedSignIn(world, origin, { user_id: user?.id, by: 'passkey' })
    return { outcome: 'wrong' }
  }
  return { outcome: 'signed_in', user_id: user.id, passkey_id: passkey!.id }
}
