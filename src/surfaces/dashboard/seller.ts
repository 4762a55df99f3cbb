import type { FastifyInstance } from 'fastify'
import * as sellers from '#domain/sellers'
import { stateOfZip } from '#domain/tax'
import { saveDetails } from '#flows/seller'
import type { World } from '#flows/world'
import { packForm, unpackForm, withQuery } from '#http/address'
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
    const saved = await sellers.findSeller(world.db, context.member.seller_id)
    const entered = unpackForm(queryOf(request, 'entered'))
    return show(context, { ...saved, ...formFrom((name) => entered[name]) })
  })

  scope.post(SELLER, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'account')
    const sent = formOf(request)
    const form = formFrom((name) => sent[name])
    const details = sellers.readDetails(form, stateOfZip)
    if ('faults' in details) return show(context, form, details.faults)
    requireRecentProof(world, context, withQuery(SELLER, { entered: packForm(form) }))
    const { seller_id } = context.member
    await saveDetails(world, actorOf(context), { seller_id, details })
    return redirectTo(reply, `${SELLER}?done=saved`)
  })
}

/** The fields that were given, as entered. */
function formFrom(read: (name: keyof sellers.SellerDetails) => string | undefined) {
  const names = ['legal_name', 'address', 'city', 'state', 'zip'] as const
  const given = names.map((name) => [name, read(name)]).filter(([, text]) => text !== undefined)
  return Object.fromEntries(given) as sellers.EnteredDetails
}
