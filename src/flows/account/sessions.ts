import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import type { SessionId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { note, type Owner } from './note.ts'

/** Signs one browser of the account out. Signing out of the service also revokes agents' access. */
export async function endSession(
  { db, clock }: World,
  owner: Owner,
  session_id: SessionId,
): Promise<void> {
  const { user_id } = owner
  await db.tx(async (tx) => {
    if (!(await identity.endSessionById(tx, { user_id, session_id }))) return
    await grants.revokeAgents(tx, user_id)
    await note(tx, clock.now(), owner, 'session_ended', { session_id })
  })
}

/**
 * Throws `signed_out` if the session of a change was ended after its request was authorized, by the
 * owner in another browser for example; the transaction that called this must not commit then.
 */
export async function requireOwnSession(tx: Db, owner: Owner): Promise<void> {
  if (await identity.keepsSession(tx, owner)) return
  const message = 'This browser was signed out. Nothing was changed. Sign in and try again.'
  throw new Problem(403, 'signed_out', message)
}

/**
 * Ends every other session of the account, here and in every app, in the transaction of a change
 * after which only this session is known to be the owner's. Returns the number of sessions.
 */
export async function endAllOtherSessions(tx: Db, owner: Owner): Promise<number> {
  await requireOwnSession(tx, owner)
  const count = await identity.endOtherSessions(tx, owner)
  await grants.revokeEverything(tx, owner.user_id)
  return count
}

/** Signs every other browser of the account out, here and of every app. */
export async function endOtherSessions({ db, clock }: World, owner: Owner): Promise<void> {
  await db.tx(async (tx) => {
    const count = await endAllOtherSessions(tx, owner)
    if (count > 0) await note(tx, clock.now(), owner, 'other_sessions_ended', { count })
  })
}
