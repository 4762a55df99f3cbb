import type { FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { refuseAudited, requireSession, type SessionContext } from '#http/guards/session'
import { AnsweredByGuard, sendPage } from '#http/pages'
import { StaffFactorPage } from './staff-factor-page.tsx'

/**
 * The session of a member of staff; everyone else gets 404. Staff without a second factor set one
 * up first, because with one every session has proved it. After a form they return to `home`.
 */
export async function requireStaff(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
): Promise<SessionContext> {
  const context = await requireSession(world, request, reply, home)
  const user = await identity.findUser(world.db, context.session.user_id)
  if (!user?.is_staff) throw await refuseAudited(world, context)
  if (!identity.owesFactor(await identity.factorsOf(world.db, user.id))) {
    throw new AnsweredByGuard((to) => sendPage(to, StaffFactorPage(), { status: 403 }))
  }
  return context
}
