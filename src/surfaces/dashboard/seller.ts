import type { FastifyInstance } from 'fastify'
import * as sellers from '#domain/sellers'
import { saveDetails } from '#flows/seller'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { type MemberContext, requireMember } from '#http/guards/seller'
import { requireRecentProof } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import type { FieldFault } from '#platform/problem'
import { actorOf } from './app-context.ts'
import { formFaults } from './rows.ts'
import { SellerPage } from './seller-page.tsx'

const SELLER = '/dashboard/seller/'

/** The legal name and address of the seller whose pages are open. */
export function declareSeller(scope: FastifyInstance, world: World): void {
  function show(context: MemberContext, form: sellers.EnteredDetails, found: FieldFault[] = []) {
    const { request, reply } = context
    const page = SellerPage({
      csrf_token: csrfToken(world, request, reply),
      role: context.member.role,
      form,
      faults: formFaults(found),
      is_saved: queryOf(request, 'done') === 'saved',
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(SELLER, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'account')
    return show(context, (await sellers.findSeller(world.db, context.member.seller_id))!)
  })

  scope.post(SELLER, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'account')
    requireRecentProof(world, context, SELLER)
    const form = formOf(request)
    const { seller_id } = context.member
    const { faults } = await saveDetails(world, actorOf(context), { seller_id, form })
    if (faults.length > 0) return show(context, form, faults)
    return redirectTo(reply, `${SELLER}?done=saved`)
  })
}
