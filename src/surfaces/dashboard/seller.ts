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
import { recordFrom } from '#platform/record'
import { actorOf } from './app-context.ts'
import { changesOf, OPENED } from './opened-form.ts'
import { formFaults } from './rows.ts'
import { SellerPage } from './seller-page.tsx'

const SELLER = '/dashboard/seller/'

/** The legal name and address of the seller whose pages are open. */
export function declareSeller(scope: FastifyInstance, world: World): void {
  /** Shows what is saved, with what a form changed of it. */
  async function show(
    context: MemberContext,
    changes: sellers.EnteredDetails,
    found: FieldFault[] = [],
  ) {
    const { request, reply } = context
    const saved = await savedDetails(world, context)
    const page = SellerPage({
      csrf_token: csrfToken(world, request, reply),
      role: context.member.role,
      is_suspended: context.member.is_suspended,
      form: { ...saved, ...changes },
      opened: saved,
      faults: formFaults(found),
      is_saved: queryOf(request, 'done') === 'saved',
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(SELLER, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'account')
    const entered = unpackForm(queryOf(request, 'entered'))
    return await show(context, readForm(entered))
  })

  scope.post(SELLER, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'account')
    const sent = formOf(request)
    const changes = changesOf(readForm(sent, OPENED), readForm(sent))
    const saved = await savedDetails(world, context)
    const details = sellers.readDetails({ ...saved, ...changes }, stateOfZip)
    if ('faults' in details) return await show(context, changes, details.faults)
    requireRecentProof(world, context, withQuery(SELLER, { entered: packForm(changes) }))
    const { seller_id } = context.member
    const refused = await saveDetails(world, actorOf(context), { seller_id, entered: changes })
    if (refused) return await show(context, changes, refused.faults)
    return redirectTo(reply, `${SELLER}?done=saved`)
  })
}

async function savedDetails({ db }: World, { member }: MemberContext) {
  const { id: _, ...saved } = (await sellers.findSeller(db, member.seller_id))!
  return saved
}

/** The fields that were given, as entered, or as they were when the form was opened. */
function readForm(form: Record<string, string>, prefix = ''): sellers.EnteredDetails {
  const names = ['legal_name', 'address', 'city', 'state', 'zip'] as const
  const given = names.filter((name) => form[`${prefix}${name}`] !== undefined)
  return recordFrom(given, (name) => form[`${prefix}${name}`])
}
