import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import * as identity from '#domain/identity'
import type { Owner } from '#flows/account'
import type { World } from '#flows/world'
import { currentSession } from '#surfaces/browser'
import { originOf } from '#surfaces/device'
import { returnQuery } from '#surfaces/onwards'
import { goTo } from '#surfaces/pages'
import { CONFIRM } from '#surfaces/visits'

/** The page of everything about an account's safety. */
export const SECURITY = '/account/security/'

/** An owner at work, with his session. */
export interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: identity.Session
  owner: Owner
}

/**
 * A page for the owner of a proven account, and for him alone if he proved it in the last ten
 * minutes where something is changed. Others go and do so first, and come back to `back`.
 */
export function forOwner(
  world: World,
  needs: { recent: boolean; back: string },
  handle: (visit: Visit) => Promise<FastifyReply>,
): RouteHandlerMethod {
  return async (request, reply) => {
    const session = await currentSession(world, request)
    if (!session) return goTo(reply, `/signin/${returnQuery(needs.back)}`)
    // Whoever bought with this address may not own it: nothing about its safety is his to see.
    if (session.app_id !== null) return goTo(reply, SECURITY)
    if (needs.recent && !identity.isRecent(world.clock.now(), session)) {
      return goTo(reply, `${CONFIRM}${returnQuery(needs.back)}`)
    }
    const owner = {
      user_id: session.user_id,
      session_id: session.id,
      email: session.email,
      request_id: request.id,
      origin: originOf(request),
    }
    return await handle({ request, reply, session, owner })
  }
}
