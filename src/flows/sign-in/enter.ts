import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import { type AppId, mintId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { together } from '#platform/together'

/** A person who proved to own an account, and how completely. */
export interface ProvenOwner {
  user_id: UserId
  /** Set where only this app's purchase may be seen, as the mailbox is not verified yet. */
  app_id: AppId | null
  /** A path of this service to continue at. */
  return_to: string | undefined
  /** True for a way that is two factors in one: a passkey that verified its user. */
  is_complete: boolean
  /** What they proved it by. */
  by: 'password' | 'mail_link' | 'passkey' | 'sign_up' | 'purchase' | 'live_mode'
}

/**
 * What the browser gets: a session, or the right to prove the second factor. `live_mode`: neither,
 * as the account of a seller's member enters test mode from live mode only.
 */
export type Entered = { kind: 'session' | 'pending'; token: string } | { kind: 'live_mode' }

/** The last step of every sign-in (spec: buyer flow 1, "normal sign-in including MFA"). */
export async function enter(
  { db, clock, random, live }: World,
  proven: ProvenOwner,
  from: { device: identity.Device; origin: Origin },
): Promise<Entered> {
  const { user_id, app_id, return_to } = proven
  // Its password and second factor are live mode's, so nothing here proves as much.
  const isFromLive = proven.by === 'live_mode'
  if (live && !isFromLive && (await identity.isMirrored(db, user_id))) return { kind: 'live_mode' }
  const now = clock.now()
  const token = mintSecret(random)
  if (!proven.is_complete && identity.owesFactor(await identity.factorsOf(db, user_id))) {
    await identity.addPending(db, now, { token, user_id, return_to })
    return { kind: 'pending', token }
  }
  const id = mintId(random, 'ses')
  const { device, origin } = from
  await together(db, (writes) => [
    identity.openSession(writes, now, { id, token, user_id, app_id, device }),
    audit(writes, now, {
      actor: accountActor(user_id, origin),
      action: 'account.signed_in',
      subject: user_id,
      detail: { by: proven.by, session_id: id },
    }),
  ])
  return { kind: 'session', token }
}
