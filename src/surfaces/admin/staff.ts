import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import { changeStaffRole, inviteByEmail, withdrawInvitation } from '#flows/staff-actions'
import type { World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import { faultOf } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { requireRecentProof } from '#http/guards/session'
import { requireStaff, type StaffContext, staffActor } from '#http/guards/staff'
import { formOf, paramsOf, queryOf, requireId } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { readPanelByOffset } from '#http/pagination'
import { refuse } from '#http/refusals'
import { readId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import { ON_A_PAGE } from './paging.ts'
import { staffReasonFault } from './require-reason.ts'
import { type MemberForm, MemberPage, type StaffForm, StaffPage } from './staff-pages.tsx'

const HOME = '/admin/staff/'
const MEMBER = `${HOME}:user_id/`
const INVITATIONS: Limit = { name: 'staff-invitations', points: 20, seconds: 3600 }

/** The members of staff, for admins: roles, invitations and removal. */
export function declareStaff(scope: FastifyInstance, world: World): void {
  scope.get(HOME, async (request, reply) => {
    const context = await requireAdmin(world, request, reply)
    const form = { email: queryOf(request, 'email') ?? '', role: queryOf(request, 'role') ?? '' }
    return await sendStaff(world, context, { form })
  })

  scope.post(`${HOME}invite`, async (request, reply) => {
    const context = await requireAdmin(world, request, reply)
    const { email = '', role: text = '' } = formOf(request)
    const form = { email, role: text }
    const address = identity.readEmail(form.email)
    const role = identity.readStaffRole(form.role)
    if (!address || !role) return await sendStaff(world, context, { form, fault: faultOf('email') })
    requireRecentProof(world, context, withQuery(HOME, form))
    await limitPage(world, INVITATIONS, context.session.user_id, reply)
    const { outcome } = await inviteByEmail(world, staffActor(context), { ...address, role })
    return redirectTo(reply, `${HOME}?done=${outcome}`)
  })

  scope.post(`${HOME}withdraw`, async (request, reply) => {
    const context = await requireAdmin(world, request, reply)
    const id = readId('sti', formOf(request).invitation_id)
    const isDone = id !== undefined && (await withdrawInvitation(world, staffActor(context), id))
    return redirectTo(reply, `${HOME}?done=${isDone ? 'withdrawn' : 'nothing'}`)
  })
  declareMember(scope, world)
}

/** A member of staff: another role, or removal, each with a reason. */
function declareMember(scope: FastifyInstance, world: World): void {
  scope.get(MEMBER, async (request, reply) => {
    const context = await requireAdmin(world, request, reply)
    return await sendMember(world, context)
  })

  for (const action of ['role', 'remove'] as const) {
    scope.post(`${MEMBER}${action}`, async (request, reply) => {
      const context = await requireAdmin(world, request, reply)
      const { id: user_id } = await memberOf(world, context)
      const here = `${HOME}${user_id}/`
      const { role: text = '', reason: entered } = formOf(request)
      const form = { action, role: text.slice(0, 20), reason: (entered ?? '').trim() }
      const { reason } = form
      const role = action === 'remove' ? null : identity.readStaffRole(text)
      const fault = staffReasonFault(reason)
      if (fault || role === undefined) return await sendMember(world, context, { ...form, fault })
      requireRecentProof(world, context, withQuery(here, form))
      const staff = { ...staffActor(context), reason }
      const done = await changeStaffRole(world, staff, { user_id, role })
      const isGone = role === null && done === 'changed'
      return redirectTo(reply, isGone ? `${HOME}?done=removed` : `${here}?done=${done}`)
    })
  }
}

async function requireAdmin(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<StaffContext> {
  return await requireStaff(world, request, reply, HOME, 'staff')
}

function layoutFacts(world: World, { request, reply, role }: StaffContext) {
  return {
    csrf_token: csrfToken(world, request, reply),
    role,
    note: noteFor(request, NOTES),
  }
}

async function sendStaff(
  world: World,
  context: StaffContext,
  { form, fault }: { form: StaffForm; fault?: string },
): Promise<FastifyReply> {
  const { db, clock } = world
  const panel = { path: HOME, size: ON_A_PAGE }
  const page = StaffPage({
    ...layoutFacts(world, context),
    members: await readPanelByOffset(context.request, {
      ...panel,
      id: 'members',
      read: (of) => identity.listStaff(db, of),
    }),
    invitations: await readPanelByOffset(context.request, {
      ...panel,
      id: 'invitations',
      read: (of) => identity.listStaffInvitations(db, clock.now(), of),
    }),
    form,
    fault,
  })
  return sendPage(context.reply, page, { status: fault === undefined ? 200 : 422 })
}

async function memberOf({ db }: World, { request }: StaffContext): Promise<identity.StaffMember> {
  const user_id = requireId('usr', paramsOf(MEMBER, request).user_id)
  const member = await identity.findStaff(db, user_id)
  if (!member) throw refuse('not_found')
  return member
}

/** Shows a member; `sent` is the form that was refused. */
async function sendMember(
  world: World,
  context: StaffContext,
  sent?: MemberForm,
): Promise<FastifyReply> {
  const { request, session } = context
  const member = await memberOf(world, context)
  const page = MemberPage({
    ...layoutFacts(world, context),
    member,
    is_self: member.id === session.user_id,
    filled: sent ?? {
      action: queryOf(request, 'action'),
      role: queryOf(request, 'role'),
      reason: queryOf(request, 'reason') ?? '',
      fault: undefined,
    },
  })
  return sendPage(context.reply, page, { status: sent ? 422 : 200 })
}

const NOTES: Record<string, ActionNote> = {
  invited: { tone: 'success', text: 'Invitation sent. Its link works once, within 24 hours.' },
  locked: {
    tone: 'warning',
    text: 'Not sent: this account is locked. Unlock it under Cases first.',
  },
  withdrawn: { tone: 'success', text: 'Invitation withdrawn. Its link no longer works.' },
  changed: { tone: 'success', text: 'Role changed. It applies to the next page they open.' },
  removed: { tone: 'success', text: 'Removed from staff and signed out everywhere.' },
  last_admin: {
    tone: 'warning',
    text: 'Not changed: this is the last admin. Make another member admin first.',
  },
  nothing: { tone: 'warning', text: 'No change: this was already the case.' },
}
