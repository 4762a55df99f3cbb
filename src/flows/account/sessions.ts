import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import type { SessionId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { auditChange, type Owner } from './audit.ts'

/**
 * Signs one browser of the account out, and withdraws a change of email that it requested. Signing
 * out of the service also revokes agents' access.
 */
export async function endSession(
  { db, clock }: World,
  owner: Owner,
  session_id: SessionId,
): Promise<void> {
  const { user_id } = owner
  const now = clock.now()
  await db.tx(async (tx) => {
    if (!(await identity.endSessionById(tx, { user_id, session_id }))) return
    await identity.endChangeOfSession(tx, now, { user_id, session_id, is_other: false })
    await grants.revokeAgents(tx, user_id)
    await auditChange(tx, now, owner, 'session_ended', { session_id })
  })
}

/**
 * Runs a change by the owner of an account in a transaction, in which the account and its session
 * are locked first. Throws `signed_out` like `requireOwnSession`.
 */
export async function inOwnSession<Result>(
  { db }: Pick<World, 'db'>,
  owner: Owner,
  change: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return await db.tx(async (tx) => {
    await requireOwnSession(tx, owner)
    return await change(tx)
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
 * Ends every other session of the account, here and in every app, and the change of email that one
 * of them requested, in the transaction of a change after which only this session is known to be
 * the owner's (`inOwnSession`). Returns the number of sessions.
 */
export async function endAllOtherSessions(tx: Db, now: Date, owner: Owner): Promise<number> {
  const count = await identity.endOtherSessions(tx, owner)
  await identity.endChangeOfSession(tx, now, { ...owner, is_other: true })
  await grants.revokeAllOf(tx, owner.user_id)
  return count
}

/** Signs every other browser of the account out, here and of every app. */
export async function endOtherSessions(world: World, owner: Owner): Promise<void> {
  const now = world.clock.now()
  await inOwnSession(world, owner, async (tx) => {
    const count = await endAllOtherSessions(tx, now, owner)
    if (count > 0) await auditChange(tx, now, owner, 'other_sessions_ended', { count })
  })
}
