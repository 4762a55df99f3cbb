import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import { acceptTerms } from '#flows/accept-terms'
import type { World } from '#flows/world'
import { accountNav } from '#http/account-menu'
import { csrfToken } from '#http/form-token'
import { requireSession, type SessionContext } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { readLegalText } from '#http/legal-texts'
import { redirectTo, sendPage } from '#http/pages'
import { ownPath } from '#http/redirect'
import { refuse } from '#http/refusals'
import { actorOf, HOME } from './app-context.ts'
import { TermsPage } from './terms-page.tsx'

const TERMS = '/dashboard/terms/'

/** The seller terms and their acceptance; accounts that are not sellers get 404. */
export function declareTerms(scope: FastifyInstance, world: World): void {
  const text = readLegalText(world, 'seller-terms')
  const assertSeller = async ({ session }: SessionContext) => {
    if ((await apps.sellerOf(world.db, session.user_id)) === undefined) throw refuse('not_found')
  }

  scope.get(TERMS, async (request, reply) => {
    const context = await requireSession(world, request, reply, HOME)
    await assertSeller(context)
    const { session } = context
    const page = TermsPage({
      nav: await accountNav(world, session.user_id, 'apps'),
      text,
      csrf_token: csrfToken(world, request, reply),
      accepted: await apps.acceptedTerms(world.db, session.user_id),
      return_to: placeAfter(queryOf(request, 'return_to')),
    })
    return sendPage(reply, page)
  })

  scope.post(TERMS, async (request, reply) => {
    const context = await requireSession(world, request, reply, HOME)
    await assertSeller(context)
    const { session } = context
    await acceptTerms(world, actorOf({ request, reply, session }))
    const return_to = placeAfter(formOf(request).return_to)
    return redirectTo(reply, return_to === '/dashboard/' ? TERMS : return_to)
  })
}

/** The dashboard page to open next; any other path becomes the dashboard's home. */
function placeAfter(text: string | undefined): string {
  const path = ownPath(text)
  return path?.startsWith('/dashboard/') ? path : '/dashboard/'
}
