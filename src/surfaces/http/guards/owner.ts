import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Owner } from '#flows/account'
import type { World } from '#flows/world'
import { originOf } from '#http/device'
import {
  confirmEmailFirst,
  requireRecentProof,
  type SessionContext,
  signInFirst,
} from '#http/guards/session'
import { currentSession } from '#http/session'
import { accountActor } from '#platform/audit'

/** The account security page. */
export const SECURITY = '/account/security/'

/** A request of an account's owner about the account. */
export interface OwnerContext extends SessionContext {
  owner: Owner
}

/**
 * The owner of the account. Others sign in first and, with `recent`, re-authenticate; they return
 * to `back`. A session for one purchase is refused.
 */
export async function requireOwner(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { recent, back }: { recent: boolean; back: string },
): Promise<OwnerContext> {
  const session = await currentSession(world, request)
  if (!session) throw signInFirst({ method: request.method, url: back }, back)
  // A buyer who typed this email may not own it, so they see nothing about its security.
  if (session.app_id !== null) throw confirmEmailFirst()
  const context = { request, reply, session }
  if (recent) requireRecentProof(world, context, back)
  const { user_id, id: session_id, email } = session
  const owner = { ...accountActor(user_id, originOf(request)), session_id, email }
  return { ...context, owner }
}
