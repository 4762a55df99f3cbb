import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { accountNav } from '#http/account-menu'
import { csrfToken } from '#http/form-token'
import { requireSession, type SessionContext } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import type { SellerId } from '#platform/ids'
import { HOME } from './app-context.ts'
import { EmailsPage } from './emails-page.tsx'

const EMAILS = '/dashboard/emails/'

/** The settings for emails about buyers; each can be turned off. */
export function declareEmails(scope: FastifyInstance, world: World): void {
  const { db } = world
  const sellerOf = async ({ session }: SessionContext): Promise<SellerId> => {
    const seller_id = await apps.sellerOf(db, session.user_id)
    if (seller_id === undefined) throw refuse('not_found')
    return seller_id
  }

  scope.get(EMAILS, async (request, reply) => {
    const context = await requireSession(world, request, reply, HOME)
    const { session } = context
    const seller_id = await sellerOf(context)
    const page = EmailsPage({
      nav: await accountNav(world, session.user_id, 'apps'),
      csrf_token: csrfToken(world, request, reply),
      muted: await apps.mutedEmails(db, seller_id),
      is_saved: queryOf(request, 'done') === 'saved',
    })
    return sendPage(reply, page)
  })

  scope.post(EMAILS, async (request, reply) => {
    const context = await requireSession(world, request, reply, HOME)
    const seller_id = await sellerOf(context)
    const form = formOf(request)
    const muted = apps.SELLER_EMAILS.filter((email) => form[email] !== 'yes')
    await apps.muteEmails(db, { seller_id, muted })
    return redirectTo(reply, `${EMAILS}?done=saved`)
  })
}
