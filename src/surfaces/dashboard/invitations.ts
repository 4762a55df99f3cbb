import type { FastifyInstance } from 'fastify'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { acceptInvitation } from '#flows/seller'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { DASHBOARD } from '#http/guards/seller'
import { requireSession } from '#http/guards/session'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import { actorOf } from './app-context.ts'
import { InvitationsPage } from './team-pages.tsx'

const INVITATIONS = '/dashboard/invitations/'

/**
 * Invitations to teams, for the account that has their email. The account's verified mailbox is the
 * proof, so their email has no secret link.
 */
export function declareInvitations(scope: FastifyInstance, world: World): void {
  const { db, clock } = world
  scope.get(INVITATIONS, async (request, reply) => {
    const { session } = await requireSession(world, request, reply, INVITATIONS)
    const page = InvitationsPage({
      csrf_token: csrfToken(world, request, reply),
      email: session.email,
      invitations: await sellers.invitationsTo(db, clock.now(), session.email_normalized),
    })
    return sendPage(reply, page)
  })

  scope.post(`${INVITATIONS}accept`, async (request, reply) => {
    const context = await requireSession(world, request, reply, INVITATIONS)
    const { email_normalized, id: session_id } = context.session
    const id = readId('mbi', formOf(request).invitation_id)
    const seller_id =
      id && (await acceptInvitation(world, actorOf(context), { id, email_normalized }))
    if (!seller_id) return redirectTo(reply, INVITATIONS)
    await identity.chooseSeller(db, session_id, seller_id)
    return redirectTo(reply, DASHBOARD)
  })

  scope.post('/dashboard/switch', async (request, reply) => {
    const { session } = await requireSession(world, request, reply, DASHBOARD)
    const seller_id = readId('sel', formOf(request).seller_id)
    const { user_id } = session
    const member = seller_id && (await sellers.memberOf(db, { seller_id, user_id }))
    if (member) await identity.chooseSeller(db, session.id, member.seller_id)
    return redirectTo(reply, DASHBOARD)
  })
}
