import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as payouts from '#domain/payouts'
import { offerTransfer, withdrawTransfer } from '#flows/app'
import { owesTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { withQuery } from '#http/address'
import { type FormFault, faultOf, faultsIn } from '#http/form-errors'
import { APP_PATH, requireSeller, type SellerContext } from '#http/guards/seller'
import { requireRecentProof } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { reasonFault } from '#http/reason'
import type { Limit } from '#platform/limits'
import { actorOf, appFactsOf } from './app-context.ts'
import { TransferPage } from './transfer-pages.tsx'

const TRANSFER = `${APP_PATH}/transfer/`
const TRANSFERS: Limit = { name: 'app-transfers', points: 20, seconds: 3600 }

/** Offering an app to another seller. */
export function declareTransfer(scope: FastifyInstance, world: World): void {
  scope.get(TRANSFER, async (request, reply) => {
    const context = await requireSeller(world, request, reply, 'transfer_apps')
    requireRecentProof(world, context)
    const form = {
      email: queryOf(request, 'email') ?? '',
      reason: queryOf(request, 'reason') ?? '',
    }
    return await showTransfer(world, context, { form, faults: [] })
  })

  scope.post(TRANSFER, async (request, reply) => {
    const context = await requireSeller(world, request, reply, 'transfer_apps')
    const { app } = context
    const { email = '', reason = '' } = formOf(request)
    const form = { email: email.slice(0, 320).trim(), reason: reason.trim() }
    const address = identity.readEmail(form.email)
    const faults = faultsOf(form, address !== undefined)
    if (!address || faults.length > 0) return await showTransfer(world, context, { form, faults })
    requireRecentProof(world, context, withQuery(request.url, form))
    await limitPage(world, TRANSFERS, app.seller_id, reply)
    const offer = { ...address, app_id: app.id, reason: form.reason }
    const outcome = await offerTransfer(world, actorOf(context), offer)
    if (outcome === 'is_own') {
      const own = { id: 'email', message: 'This account is a member of your own team.' }
      return await showTransfer(world, context, { form, faults: [own] })
    }
    // The page says why.
    if (outcome === 'payouts_blocked') return redirectTo(reply, pathOf(context))
    return redirectTo(reply, `${pathOf(context)}?done=${outcome}`)
  })

  scope.post(`${TRANSFER}withdraw`, async (request, reply) => {
    const context = await requireSeller(world, request, reply, 'transfer_apps')
    const isDone = await withdrawTransfer(world, actorOf(context), context.app.id)
    return redirectTo(reply, `${pathOf(context)}?done=${isDone ? 'withdrawn' : 'nothing'}`)
  })
}

function pathOf({ app }: SellerContext): string {
  return TRANSFER.replace(':slug', app.slug)
}

function faultsOf(form: { reason: string }, hasEmail: boolean): FormFault[] {
  return faultsIn([
    ['email', !hasEmail && faultOf('email')],
    ['reason', reasonFault(form.reason, 'Give a reason. The other seller sees it.')],
  ])
}

async function showTransfer(
  world: World,
  context: SellerContext,
  given: { form: { email: string; reason: string }; faults: FormFault[] },
): Promise<FastifyReply> {
  const { app, reply } = context
  const owes_terms = await owesTerms(world, app.seller_id)
  const page = TransferPage({
    ...appFactsOf(world, { ...context, owes_terms }, NOTES),
    ...given,
    offer: await apps.openTransferOf(world.db, world.clock.now(), app.id),
    is_blocked: await payouts.areBlocked(world.db, app.seller_id),
  })
  return sendPage(reply, page, { status: given.faults.length > 0 ? 422 : 200 })
}

const NOTES: Record<string, string> = {
  offered: 'Offered. We emailed the other seller.',
  is_offered: 'This app is already offered. Withdraw that offer first.',
  withdrawn: 'Offer withdrawn.',
  nothing: 'The offer was answered or has expired.',
}
