import type { FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import {
  auditRefusal,
  refuseAudited,
  requireSession,
  type SessionContext,
} from '#http/guards/session'
import { AnsweredByGuard, sendPage } from '#http/pages'
import type { ActorOf } from '#platform/audit'
import { StaffFactorPage } from './staff-factor-page.tsx'
import { StaffRolePage } from './staff-role-page.tsx'

/** A request of a member of staff, and their role. */
export interface StaffContext extends SessionContext {
  role: identity.StaffRole
}

/** A member of staff as the actor of a change. */
export function staffActor({ session, request }: SessionContext): ActorOf<'staff'> {
  return { kind: 'staff', user_id: session.user_id, request_id: request.id }
}

/**
 * The session of a member of staff whose role has the permission. Other staff get a page that names
 * the roles that have it, and everyone else 404. Staff without a second factor set one up first;
 * from then on, every session has passed it. After a form they return to `home`.
 */
export async function requireStaff(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
  permission: identity.StaffPermission,
): Promise<StaffContext> {
  const context = await requireSession(world, request, reply, home)
  const user = await identity.findUser(world.db, context.session.user_id)
  if (!user?.staff_role) throw await refuseAudited(world, context)
  const { id, staff_role: role } = user
  if (!identity.owesFactor(await identity.factorsOf(world.db, id))) {
    throw new AnsweredByGuard((to) => sendPage(to, StaffFactorPage(), { status: 403 }))
  }
  if (!identity.isPermitted(role, permission)) {
    await auditRefusal(world, context)
    const page = StaffRolePage({ role, needed: identity.rolesWith(permission) })
    throw new AnsweredByGuard((to) => sendPage(to, page, { status: 403 }))
  }
  return { ...context, role }
}
