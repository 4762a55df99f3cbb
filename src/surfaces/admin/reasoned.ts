import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StaffPermission } from '#domain/identity'
import type { StaffWithReason } from '#flows/staff-actions'
import type { World } from '#flows/world'
import type { ActionNote } from '#http/action-note'
import { requireRecentProof } from '#http/guards/session'
import { requireStaff, type StaffContext, staffActor } from '#http/guards/staff'
import { formOf, queryOf } from '#http/input'
import { AnsweredByGuard, redirectTo } from '#http/pages'
import { shortReason } from '#http/reason'
import type { Filled } from './staff-action.tsx'

/** A staff action with a reason, requested by staff who authenticated recently. */
export interface ReasonedContext extends StaffContext {
  staff: StaffWithReason
}

/**
 * A member of staff with the permission, a recent authentication and a reason, for a StaffAction on
 * the page `here`. It returns there to authenticate again, with the form as filled in, and if the
 * reason is missing.
 */
export async function requireReason(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: { here: string; permission: StaffPermission; action: string; subject: string },
): Promise<ReasonedContext> {
  const { here, permission, action, subject } = facts
  const context = await requireStaff(world, request, reply, here, permission)
  const reason = shortReason(formOf(request).reason)
  const filled = new URLSearchParams({ action, subject, reason })
  requireRecentProof(world, context, `${here}?${filled}`)
  if (reason === '') throw new AnsweredByGuard((to) => redirectTo(to, `${here}?done=no_reason`))
  return { ...context, staff: { ...staffActor(context), reason } }
}

/** The form that was filled in before its sender authenticated again. */
export function filledOf(request: FastifyRequest): Filled | undefined {
  const [path, subject, reason] = ['action', 'subject', 'reason'].map((n) => queryOf(request, n))
  if (path === undefined || subject === undefined) return undefined
  return { path, subject, reason: shortReason(reason) }
}

/** The notes of every action with a reason. */
export const COMMON_NOTES: Record<string, ActionNote> = {
  nothing: { tone: 'warning', text: 'No change: this was already the case.' },
  no_reason: { tone: 'warning', text: 'Not done. Give a reason for the audit log.' },
}
