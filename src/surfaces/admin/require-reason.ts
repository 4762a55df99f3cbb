import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StaffPermission } from '#domain/identity'
import type { StaffWithReason } from '#flows/staff-actions'
import type { World } from '#flows/world'
import type { ActionNote } from '#http/action-note'
import { withQuery } from '#http/address'
import { requireRecentProof } from '#http/guards/session'
import { requireStaff, type StaffContext, staffActor } from '#http/guards/staff'
import { formOf, queryOf } from '#http/input'
import { AnsweredByGuard, redirectTo } from '#http/pages'
import { reasonFault } from '#http/reason'
import type { FilledForm } from './staff-action.tsx'

/** A staff action with a reason, requested by staff who authenticated recently. */
export interface ReasonedContext extends StaffContext {
  staff: StaffWithReason
}

/** What is wrong with the trimmed reason of a staff action, in one sentence; undefined: nothing. */
export function staffReasonFault(reason: string): string | undefined {
  return reasonFault(reason, 'Give a reason for the audit log.')
}

/** The most characters of a reason in an address; the rest is cut off. */
const IN_ADDRESS = 1000

/** The page's path with the filled-in form and further fields in its query. */
export function filledAddress(
  here: string,
  { path: action, subject, reason, choice }: Omit<FilledForm, 'is_refused' | 'fault'>,
  query: Record<string, string | undefined> = {},
): string {
  const filled = { action, subject, reason: reason.slice(0, IN_ADDRESS), choice }
  return withQuery(here, { ...query, ...filled })
}

/** The queries of a page that shows a form again: its reason was refused, or no choice was made. */
export const REFUSED_REASON = { done: 'no_reason' }
export const REFUSED_CHOICE = { done: 'no_choice' }

/**
 * A member of staff with the permission, a reason and a recent authentication, for a StaffAction on
 * the page `here`. It returns there with the form as filled in, to correct the reason, and to
 * authenticate again.
 */
export async function requireReason(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: { here: string; permission: StaffPermission; action: string; subject: string },
): Promise<ReasonedContext> {
  const { here, permission, action: path, subject } = facts
  const context = await requireStaff(world, request, reply, here, permission)
  const reason = (formOf(request).reason ?? '').trim()
  const filled = { path, subject, reason }
  if (staffReasonFault(reason)) {
    const refused = filledAddress(here, filled, REFUSED_REASON)
    throw new AnsweredByGuard((to) => redirectTo(to, refused))
  }
  requireRecentProof(world, context, filledAddress(here, filled))
  return { ...context, staff: { ...staffActor(context), reason } }
}

/** The form that was filled in before its sender authenticated again, or with a fault. */
export function readFilledForm(request: FastifyRequest): FilledForm | undefined {
  const [path, subject, entered] = ['action', 'subject', 'reason'].map((n) => queryOf(request, n))
  if (path === undefined || subject === undefined) return undefined
  const reason = (entered ?? '').slice(0, IN_ADDRESS)
  const choice = queryOf(request, 'choice')
  const done = queryOf(request, 'done')
  const is_refused = done === REFUSED_REASON.done || done === REFUSED_CHOICE.done
  const fault = is_refused ? staffReasonFault(reason) : undefined
  return { path, subject, reason, choice, is_refused, fault }
}

/** The note above a form whose reason is wrong; the form says what is. */
export const REASON_NOTE: ActionNote = { tone: 'warning', text: 'Not done. Correct the reason.' }

/** The notes of every action with a reason. */
export const COMMON_NOTES: Record<string, ActionNote> = {
  nothing: { tone: 'warning', text: 'No change: this was already the case.' },
  no_reason: REASON_NOTE,
}
