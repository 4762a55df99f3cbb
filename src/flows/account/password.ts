import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { auditAndNotify, type Owner } from './audit.ts'
import { endAllOtherSessions, inOwnSession } from './sessions.ts'

/** Sets a new password, and ends every other session here and in every app. */
export async function changePassword(world: World, owner: Owner, password: string): Promise<void> {
  const { user_id } = owner
  const password_hash = await identity.hashPassword(password)
  const now = world.clock.now()
  await inOwnSession(world, owner, async (tx) => {
    await identity.setPassword(tx, now, { user_id, password_hash })
    await endAllOtherSessions(tx, now, owner)
    await auditAndNotify(world, tx, now, { owner, what: 'password_changed' })
  })
}
