import type { FastifyInstance } from 'fastify'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { requireMember } from '#http/guards/seller'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { EmailsPage } from './emails-page.tsx'

const EMAILS = '/dashboard/emails/'

/** A member's settings for emails about buyers; each can be turned off. */
export function declareEmails(scope: FastifyInstance, world: World): void {
  const { db } = world
  scope.get(EMAILS, async (request, reply) => {
    const { member } = await requireMember(world, request, reply, 'view')
    const page = EmailsPage({
      csrf_token: csrfToken(world, request, reply),
      role: member.role,
      is_suspended: member.is_suspended,
      muted: await sellers.mutedEmails(db, member),
      is_saved: queryOf(request, 'done') === 'saved',
    })
    return sendPage(reply, page)
  })

  scope.post(EMAILS, async (request, reply) => {
    const { member } = await requireMember(world, request, reply, 'view')
    const form = formOf(request)
    const muted = sellers.SELLER_EMAILS.filter((email) => form[email] !== 'yes')
    await sellers.muteEmails(db, member, muted)
    return redirectTo(reply, `${EMAILS}?done=saved`)
  })
}
