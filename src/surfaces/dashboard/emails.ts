import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken } from '#surfaces/browser'
import { formOf, goTo, queryOf, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import type { Visit } from '#surfaces/visits'
import { forAccount } from './access.ts'
import { EmailsPage } from './emails-page.tsx'

const EMAILS = '/dashboard/emails/'

/** Which emails about buyers a seller gets: each can be switched off. */
export function declareEmails(scope: FastifyInstance, world: World): void {
  const { db } = world
  const sellerOf = async ({ session }: Visit): Promise<string> => {
    const seller_id = await apps.sellerOf(db, session.user_id)
    if (seller_id === undefined) throw refuse('not_found')
    return seller_id
  }

  scope.get(
    EMAILS,
    forAccount(world, async (visit) => {
      const { request, reply, session } = visit
      const seller_id = await sellerOf(visit)
      const page = EmailsPage({
        nav: await accountNav(world, session.user_id, 'apps'),
        csrf_token: csrfToken(world, request, reply),
        muted: await apps.mutedEmails(db, seller_id),
        is_saved: queryOf(request, 'done') === 'saved',
      })
      return sendPage(reply, page)
    }),
  )

  scope.post(
    EMAILS,
    forAccount(world, async (visit) => {
      const seller_id = await sellerOf(visit)
      const form = formOf(visit.request)
      const muted = apps.SELLER_EMAILS.filter((email) => form[email] !== 'yes')
      await apps.muteEmails(db, { seller_id, muted })
      return goTo(visit.reply, `${EMAILS}?done=saved`)
    }),
  )
}
