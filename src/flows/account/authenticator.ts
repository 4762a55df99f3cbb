import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Limit } from '#platform/limits'
import { auditAndNotify, type Owner } from './audit.ts'
import { codesForFirstFactor, deleteRecoveryCodes } from './recovery-codes.ts'
import { endAllOtherSessions, inOwnSession } from './sessions.ts'

const ATTEMPTS: Limit = { name: 'authenticator-setup', points: 10, seconds: 900 }

/** What an authenticator app needs for its setup. It is shown once. */
export interface Setup {
  secret: string
  uri: string
}

/** Creates a secret for an authenticator app. False if the account already has one. */
export async function startAuthenticatorSetup(
  { db, clock, keys, random }: World,
  { user_id }: Owner,
): Promise<boolean> {
  const secret_sealed = identity.mintAuthenticatorSecret(keys, random, user_id)
  return await identity.startAuthenticatorSetup(db, clock.now(), { user_id, secret_sealed })
}

/** The unconfirmed secret. Undefined if there is none, or it has expired. */
export async function openSetup(
  { db, clock, keys }: World,
  { user_id, email }: Owner,
): Promise<Setup | undefined> {
  const app = await identity.findUnconfirmed(db, clock.now(), user_id)
  if (!app) return undefined
  const secret = identity.openAuthenticatorSecret(keys, app)
  return { secret, uri: identity.authenticatorUri(secret, email) }
}

/**
 * Confirms an authenticator app by a code. From here on every sign-in asks for one, and sessions
 * that never proved it end.
 */
export async function confirmAuthenticator(
  world: World,
  owner: Owner,
  code: string,
): Promise<
  | { outcome: 'on'; recovery_codes: string[] | undefined }
  | { outcome: 'wrong'; retry_after?: undefined }
  | { outcome: 'too_often'; retry_after: number }
  | { outcome: 'gone' }
> {
  const { db, clock, keys, limits } = world
  const { user_id } = owner
  const now = clock.now()
  const app = await identity.findUnconfirmed(db, now, user_id)
  if (!app) return { outcome: 'gone' }
  const { allowed, reset_seconds } = await limits.consume(ATTEMPTS, user_id)
  if (!allowed) return { outcome: 'too_often', retry_after: reset_seconds }
  const { secret_sealed } = app
  const step = identity.stepOfCode(identity.openAuthenticatorSecret(keys, app), now, code)
  if (step === undefined) return { outcome: 'wrong' }
  const confirmed = await inOwnSession(world, owner, async (tx) => {
    if (!(await identity.confirmAuthenticator(tx, now, { user_id, secret_sealed, step })))
      return undefined
    await endAllOtherSessions(tx, now, owner)
    const recovery_codes = await codesForFirstFactor(world, tx, now, user_id)
    await auditAndNotify(world, tx, now, { owner, what: 'authenticator_added' })
    return { recovery_codes }
  })
  return confirmed ? { outcome: 'on', ...confirmed } : { outcome: 'gone' }
}

/** Removes the authenticator app. */
export async function removeAuthenticator(world: World, owner: Owner): Promise<void> {
  const now = world.clock.now()
  await inOwnSession(world, owner, async (tx) => {
    if (!(await identity.removeAuthenticator(tx, owner.user_id))) return
    await endAllOtherSessions(tx, now, owner)
    await deleteRecoveryCodes(tx, owner.user_id)
    await auditAndNotify(world, tx, now, { owner, what: 'authenticator_removed' })
  })
}
