import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import {
  changeMemberRole,
  inviteMember,
  removeMember,
  transferOwnership,
  withdrawMemberInvitation,
} from '#flows/seller'
import type { World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import { faultOf } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { DASHBOARD, type MemberContext, requireMember } from '#http/guards/seller'
import { requireRecentProof } from '#http/guards/session'
import { formOf, paramsOf, queryOf, requireId } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { readId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import { actorOf } from './app-context.ts'
import { TeamMemberPage, TeamPage } from './team-pages.tsx'

const TEAM = '/dashboard/team/'
const MEMBER = `${TEAM}:user_id/`
const INVITATIONS: Limit = { name: 'member-invitations', points: 20, seconds: 3600 }

/** A seller's members: invitations, roles, removal, and who owns the seller. */
export function declareTeam(scope: FastifyInstance, world: World): void {
  scope.get(TEAM, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'view')
    const form = { email: queryOf(request, 'email') ?? '', role: queryOf(request, 'role') ?? '' }
    return await sendTeam(world, context, { form })
  })

  scope.post(`${TEAM}invite`, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'team')
    const { email = '', role: text = '' } = formOf(request)
    const form = { email, role: text }
    const address = identity.readEmail(form.email)
    const role = sellers.readInvitedRole(form.role)
    if (!address || !role) return await sendTeam(world, context, { form, fault: faultOf('email') })
    requireRecentProof(world, context, withQuery(TEAM, form))
    const { seller_id } = context.member
    await limitPage(world, INVITATIONS, seller_id, reply)
    const outcome = await inviteMember(world, actorOf(context), { ...address, role, seller_id })
    return redirectTo(reply, `${TEAM}?done=${outcome}`)
  })

  scope.post(`${TEAM}withdraw`, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'team')
    const id = readId('mbi', formOf(request).invitation_id)
    const { seller_id } = context.member
    const invitation = id && { seller_id, id }
    const isDone =
      invitation && (await withdrawMemberInvitation(world, actorOf(context), invitation))
    return redirectTo(reply, `${TEAM}?done=${isDone ? 'withdrawn' : 'nothing'}`)
  })
  declareMember(scope, world)
}

/** The page of a member, and changes of their role. */
function declareMember(scope: FastifyInstance, world: World): void {
  scope.get(MEMBER, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'view')
    const { session, member: reader } = context
    const member = await memberAt(world, context)
    const page = TeamMemberPage({
      ...teamFacts(world, context),
      member,
      chosen_role: sellers.readInvitedRole(queryOf(request, 'role')) ?? member.role,
      is_self: member.user_id === session.user_id,
      can_edit: sellers.isAllowed(reader.role, 'team'),
      is_owner: reader.role === 'owner',
    })
    return sendPage(reply, page)
  })

  scope.post(`${MEMBER}role`, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'team')
    const { user_id } = await memberAt(world, context)
    const role = sellers.readInvitedRole(formOf(request).role)
    if (!role) throw refuse('invalid_request')
    requireRecentProof(world, context, withQuery(`${TEAM}${user_id}/`, { role }))
    const { seller_id } = context.member
    const done = await changeMemberRole(world, actorOf(context), { seller_id, user_id, role })
    return redirectTo(reply, `${TEAM}${user_id}/?done=${done}`)
  })

  scope.post(`${MEMBER}transfer`, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'team')
    const { user_id } = await memberAt(world, context)
    requireRecentProof(world, context, `${TEAM}${user_id}/`)
    const { seller_id } = context.member
    const done = await transferOwnership(world, actorOf(context), { seller_id, user_id })
    return redirectTo(reply, `${TEAM}${user_id}/?done=${done}`)
  })

  scope.post(`${MEMBER}remove`, async (request, reply) => {
    const context = await requireLeaver(world, request, reply)
    const { user_id } = await memberAt(world, context)
    requireRecentProof(world, context, `${TEAM}${user_id}/`)
    const { seller_id } = context.member
    const done = await removeMember(world, actorOf(context), { seller_id, user_id })
    if (done !== 'changed') return redirectTo(reply, `${TEAM}${user_id}/?done=${done}`)
    const hasLeft = user_id === context.session.user_id
    return redirectTo(reply, hasLeft ? DASHBOARD : `${TEAM}?done=removed`)
  })
}

/** Members remove others with the permission, and themselves without it. */
async function requireLeaver(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<MemberContext> {
  const context = await requireMember(world, request, reply, 'view')
  const isSelf = readId('usr', paramsOf(MEMBER, request).user_id) === context.session.user_id
  return isSelf ? context : await requireMember(world, request, reply, 'team')
}

async function memberAt({ db }: World, { request, member }: MemberContext) {
  const user_id = requireId('usr', paramsOf(MEMBER, request).user_id)
  const members = await sellers.membersOf(db, member.seller_id)
  const found = members.find((each) => each.user_id === user_id)
  if (!found) throw refuse('not_found')
  return found
}

function teamFacts(world: World, { request, reply, member }: MemberContext) {
  return {
    csrf_token: csrfToken(world, request, reply),
    legal_name: member.legal_name,
    note: noteFor(request, NOTES),
  }
}

async function sendTeam(
  world: World,
  context: MemberContext,
  given: { form: { email: string; role: string }; fault?: string },
): Promise<FastifyReply> {
  const { db, clock } = world
  const { role, seller_id } = context.member
  const page = TeamPage({
    ...teamFacts(world, context),
    members: await sellers.membersOf(db, seller_id),
    invitations: await sellers.invitationsOf(db, clock.now(), seller_id),
    role,
    is_suspended: context.member.is_suspended,
    can_edit: sellers.isAllowed(role, 'team'),
    form: given.form,
    fault: given.fault,
  })
  return sendPage(context.reply, page, { status: given.fault === undefined ? 200 : 422 })
}

const NOTES: Record<string, ActionNote> = {
  invited: { tone: 'success', text: 'Invitation sent.' },
  is_member: { tone: 'warning', text: 'This account is already a member.' },
  withdrawn: { tone: 'success', text: 'Invitation withdrawn.' },
  nothing: { tone: 'warning', text: 'The invitation was answered or has expired.' },
  changed: { tone: 'success', text: 'Role changed.' },
  is_owner: {
    tone: 'warning',
    text: 'The owner’s role changes only when ownership is transferred.',
  },
  not_found: { tone: 'warning', text: 'Only the owner can transfer ownership.' },
  removed: { tone: 'success', text: 'Removed from the team.' },
}
