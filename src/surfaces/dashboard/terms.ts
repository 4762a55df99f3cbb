import type { FastifyInstance } from 'fastify'
import * as sellers from '#domain/sellers'
import { acceptTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { DASHBOARD, requireMemberFor } from '#http/guards/seller'
import { formOf, queryOf } from '#http/input'
import { readLegalText } from '#http/legal-texts'
import { redirectTo, sendPage } from '#http/pages'
import { SELLER_TERMS } from '#http/redirect'
import { ownPath } from '#http/redirect-path'
import { actorOf } from './app-context.ts'
import { TermsPage } from './terms-page.tsx'

/** The seller terms and their acceptance; accounts that are not members of a seller get 404. */
export function declareTerms(scope: FastifyInstance, world: World): void {
  const text = readLegalText(world, 'seller-terms')

  scope.get(SELLER_TERMS, async (request, reply) => {
    const return_to = placeAfter(queryOf(request, 'return_to'))
    const asked = { permission: 'view', return_to } as const
    const { member } = await requireMemberFor(world, request, reply, asked)
    const page = TermsPage({
      role: member.role,
      is_suspended: member.is_suspended,
      legal_name: member.legal_name,
      text,
      csrf_token: csrfToken(world, request, reply),
      accepted: await sellers.acceptedTerms(world.db, member.seller_id),
      return_to,
    })
    return sendPage(reply, page)
  })

  scope.post(SELLER_TERMS, async (request, reply) => {
    const return_to = placeAfter(formOf(request).return_to)
    const asked = { permission: 'account', return_to } as const
    const context = await requireMemberFor(world, request, reply, asked)
    await acceptTerms(world, actorOf(context), context.member.seller_id)
    return redirectTo(reply, return_to === DASHBOARD ? SELLER_TERMS : return_to)
  })
}

/** The dashboard page to open next; any other path becomes the dashboard's home. */
function placeAfter(text: string | undefined): string {
  const path = ownPath(text)
  return path?.startsWith(DASHBOARD) ? path : DASHBOARD
}
