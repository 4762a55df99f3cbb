import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import { acceptTerms } from '#flows/accept-terms'
import type { World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken } from '#surfaces/browser'
import { readLegalText } from '#surfaces/legal-texts'
import { ownPath } from '#surfaces/onwards'
import { formOf, goTo, queryOf, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import type { Visit } from '#surfaces/visits'
import { forAccount } from './access.ts'
import { TermsPage } from './terms-page.tsx'

const TERMS = '/dashboard/terms/'

/** The terms for sellers, and their acceptance; whoever sells nothing finds nothing there. */
export function declareTerms(scope: FastifyInstance, world: World): void {
  const text = readLegalText(world, 'seller-terms')
  const assertSeller = async ({ session }: Visit) => {
    if ((await apps.sellerOf(world.db, session.user_id)) === undefined) throw refuse('not_found')
  }

  scope.get(
    TERMS,
    forAccount(world, async (visit) => {
      await assertSeller(visit)
      const { request, reply, session } = visit
      const page = TermsPage({
        nav: await accountNav(world, session.user_id, 'apps'),
        text,
        csrf_token: csrfToken(world, request, reply),
        accepted: await apps.acceptedTerms(world.db, session.user_id),
        return_to: placeAfter(queryOf(request, 'return_to')),
      })
      return sendPage(reply, page)
    }),
  )

  scope.post(
    TERMS,
    forAccount(world, async (visit) => {
      await assertSeller(visit)
      const { request, reply, session } = visit
      await acceptTerms(world, { user_id: session.user_id, request_id: request.id })
      const return_to = placeAfter(formOf(request).return_to)
      return goTo(reply, return_to === '/dashboard/' ? TERMS : return_to)
    }),
  )
}

/** A page of the dashboard to go on to; everything else is not ours to lead to from here. */
function placeAfter(text: string | undefined): string {
  const path = ownPath(text)
  return path?.startsWith('/dashboard/') ? path : '/dashboard/'
}
