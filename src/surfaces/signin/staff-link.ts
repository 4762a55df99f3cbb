import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import { joinStaff } from '#flows/sign-in'
import type { World } from '#flows/world'
import { originOf } from '#http/device'
import { csrfToken } from '#http/form-token'
import { requireRecentProof } from '#http/guards/session'
import { formOf, paramsOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { redirectTo, sendPage } from '#http/pages'
import { passwordSentence } from '#http/password-sentence'
import { signInUrl } from '#http/redirect'
import { currentSession, startSession } from '#http/session'
import type { RouteLimit } from '#platform/route-limits'
import { ExpiredInvitationPage, InvitationPage } from './staff-link-pages.tsx'

const LINKS: RouteLimit = { name: 'staff-links', points: 30, seconds: 60, key: byIp }
const LINK = '/link/staff/:token'
const ADMIN = '/admin/'

const LAST_ADMIN = 'You are the last admin. Make another member admin before you change your role.'

/** The link of an invitation to staff; opening it does nothing until its button is pressed. */
export function declareStaffLink(scope: FastifyInstance, world: World): void {
  scope.get(LINK, async (request, reply) => show(world, request, reply))

  scope.post(LINK, { config: { limits: [LINKS] } }, async (request, reply) => {
    const opened = await openInvitation(world, request)
    if (!opened) return sendExpired(reply)
    const { invitation, session, way } = opened
    const { password = '' } = formOf(request)
    const chosen = way === 'password' ? password : undefined
    const fault = chosen === undefined ? undefined : await faultOf(chosen, invitation)
    if (fault !== undefined) return await show(world, request, reply, fault)
    if (way === 'join') requireRecentProof(world, { request, reply, session: session! })
    const { token } = paramsOf(LINK, request)
    const origin = originOf(request)
    const facts = { token, signed_in: session?.user_id, password: chosen, origin }
    const joined = await joinStaff(world, facts)
    if (joined.outcome === 'expired') return sendExpired(reply)
    if (joined.outcome === 'sign_in') return await show(world, request, reply)
    if (joined.outcome === 'last_admin') return await show(world, request, reply, LAST_ADMIN)
    if (!joined.is_new) return redirectTo(reply, ADMIN)
    const proven = { app_id: null, return_to: ADMIN, is_complete: false, by: 'mail_link' } as const
    const { user_id } = joined
    return redirectTo(reply, await startSession(world, request, reply, { ...proven, user_id }))
  })
}

async function faultOf(password: string, { email }: identity.StaffInvitation) {
  return await passwordSentence(password, email)
}

/** The invitation of the link, and what its reader must do to accept it. */
async function openInvitation(world: World, request: FastifyRequest) {
  const { db, clock } = world
  const { token } = paramsOf(LINK, request)
  const invitation = await identity.peekStaffInvitation(db, clock.now(), token)
  const user = invitation && (await identity.findByEmail(db, invitation.email_normalized))
  if (!invitation || user?.locked_at) return undefined
  const session = await currentSession(world, request)
  const way = !user?.email_verified_at
    ? ('password' as const)
    : session?.user_id === user.id && session.app_id === null
      ? ('join' as const)
      : ('sign_in' as const)
  return { invitation, session, way }
}

async function show(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  fault?: string,
): Promise<FastifyReply> {
  const opened = await openInvitation(world, request)
  if (!opened) return sendExpired(reply)
  const { invitation, session, way } = opened
  const { invited_by, email, role } = invitation
  const inviter = invited_by && (await identity.findUser(world.db, invited_by))
  const page = InvitationPage({
    email,
    role,
    way,
    inviter: inviter?.email ?? undefined,
    operator: world.config.operator.legal_name,
    signed_in_as: way === 'sign_in' ? session?.email : undefined,
    action: request.url,
    sign_in_url: signInUrl(request.url),
    csrf_token: csrfToken(world, request, reply),
    fault,
  })
  return sendPage(reply, page, { status: fault === undefined ? 200 : 422, secret_address: true })
}

function sendExpired(reply: FastifyReply): FastifyReply {
  return sendPage(reply, ExpiredInvitationPage(), { status: 404 })
}
