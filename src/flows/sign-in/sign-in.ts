import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import type { Db } from '#platform/db'
import { type AppId, mintId, type PasskeyId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { writeTogether } from '#platform/write-together'

/** A person who proved that they own an account, and how strong the proof is. */
export interface ProvenOwner {
  user_id: UserId
  /** Set where only this app's purchase may be seen, as the mailbox is not verified yet. */
  app_id: AppId | null
  /** A path of this service to continue at. */
  return_to: string | undefined
  /** True for a way that is two factors in one: a passkey that verified its user. */
  is_complete: boolean
  /** How they proved it. */
  by: 'password' | 'mail_link' | 'passkey' | 'sign_up' | 'purchase' | 'live_mode'
  /** The password hash that matched. If it has changed since, the proof is no longer valid. */
  password_hash?: string
  /** The passkey that signed. If it was removed since, the proof is no longer valid. */
  passkey_id?: PasskeyId
  /** The email whose mailbox was read. If the account has another since, it proves nothing. */
  email_normalized?: string
}

/**
 * What the browser gets: a session, or the right to prove the second factor. `live_mode`: neither,
 * as the account of a seller's member enters test mode from live mode only. `gone`: neither, as the
 * proof is no longer valid.
 */
export type SignInResult =
  | { kind: 'session' | 'pending'; token: string }
  | { kind: 'live_mode' | 'gone' }

/** The browser and address that a session is opened from. */
interface Browser {
  device: identity.Device
  origin: Origin
}

/** The last step of every sign-in (spec: buyer flow 1, "normal sign-in including MFA"). */
export async function signIn(
  world: World,
  proven: ProvenOwner,
  from: Browser,
): Promise<SignInResult> {
  const { db, live } = world
  const { user_id, by } = proven
  // The member's password and second factor exist in live mode only, so test mode cannot check
  // them.
  const isFromLive = by === 'live_mode'
  if (live && !isFromLive && (await identity.isMirrored(db, user_id))) return { kind: 'live_mode' }
  // This session sees its purchase only, and a checkout is quick (decision 131).
  if (by === 'purchase') return await open(world, db, proven, from)
  return await db.tx(async (tx) => {
    // Its owner may have changed the password while this one was hashed.
    const user = await identity.lockForSignIn(tx, user_id)
    return (await isStillValid(tx, proven, user))
      ? await open(world, tx, proven, from)
      : { kind: 'gone' }
  })
}

/** Whether a proof is still valid for the account's current state. */
async function isStillValid(
  tx: Db,
  { password_hash, passkey_id, email_normalized }: ProvenOwner,
  user: identity.User,
): Promise<boolean> {
  const isSame = password_hash === undefined || password_hash === user.password_hash
  const isMailbox = email_normalized === undefined || email_normalized === user.email_normalized
  if (!isSame || !isMailbox || user.locked_at !== null) return false
  return !passkey_id || (await identity.hasPasskey(tx, { user_id: user.id, passkey_id }))
}

/** Opens the session, or a pending sign-in that still needs the second factor. */
async function open(
  { clock, random }: World,
  db: Db,
  { user_id, app_id, return_to, is_complete, by }: ProvenOwner,
  { device, origin }: Browser,
): Promise<SignInResult> {
  const now = clock.now()
  const token = mintSecret(random)
  if (!is_complete && identity.owesFactor(await identity.factorsOf(db, user_id))) {
    await identity.addPending(db, now, { token, user_id, return_to })
    return { kind: 'pending', token }
  }
  const id = mintId(random, 'ses')
  await writeTogether(db, (writes) => [
    identity.openSession(writes, now, { id, token, user_id, app_id, device }),
    audit(writes, now, {
      actor: accountActor(user_id, origin),
      action: 'account.signed_in',
      subject: user_id,
      detail: { by, session_id: id },
    }),
  ])
  return { kind: 'session', token }
}
