import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { acceptTransfer, declineTransfer, offerTransfer, withdrawTransfer } from '#flows/app'
import { owesTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { withQuery } from '#http/address'
import { addressOf } from '#http/app-menu'
import { type FormFault, faultOf } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { APP_PATH, requireSeller, type SellerContext } from '#http/guards/seller'
import { requireRecentProof, requireSession, type SessionContext } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { reasonFault } from '#http/reason'
import { sellerTermsUrl } from '#http/redirect'
import { readId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import { actorOf, appFactsOf } from './app-context.ts'
import { TransferOffersPage, TransferPage } from './transfer-pages.tsx'

const TRANSFER = `${APP_PATH}/transfer/`
const OFFERS = '/dashboard/transfers/'
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
  const faults: FormFault[] = []
  if (!hasEmail) faults.push({ id: 'email', message: faultOf('email') })
  const message = reasonFault(form.reason, 'Give a reason. The other seller sees it.')
  if (message) faults.push({ id: 'reason', message })
  return faults
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
  })
  return sendPage(reply, page, { status: given.faults.length > 0 ? 422 : 200 })
}

const NOTES: Record<string, string> = {
  offered: 'Offered. We emailed the other seller.',
  is_offered: 'This app is already offered. Withdraw that offer first.',
  withdrawn: 'Offer withdrawn.',
  nothing: 'The offer was answered or has expired.',
}

/** Apps that other sellers offer to the signed-in account. */
export function declareTransferOffers(scope: FastifyInstance, world: World): void {
  scope.get(OFFERS, async (request, reply) => {
    const context = await requireSession(world, request, reply, OFFERS)
    return await showOffers(world, context)
  })

  scope.post(`${OFFERS}accept`, async (request, reply) => {
    const context = await requireSession(world, request, reply, OFFERS)
    requireRecentProof(world, context, OFFERS)
    const id = readId('trf', formOf(request).transfer_id)
    const member = await ownSeller(world, context)
    if (!id || !member) return redirectTo(reply, `${OFFERS}?done=${id ? 'not_owner' : 'not_open'}`)
    const { email_normalized } = context.session
    const { seller_id } = member
    const answer = { id, email_normalized, seller_id }
    const done = await acceptTransfer(world, actorOf(context), answer)
    if (done === 'owes_terms') {
      // The terms are accepted for the seller whose pages are open.
      await identity.chooseSeller(world.db, context.session.id, seller_id)
      return redirectTo(reply, sellerTermsUrl(OFFERS))
    }
    if (typeof done === 'string') return redirectTo(reply, `${OFFERS}?done=${done}`)
    return redirectTo(reply, addressOf(done.slug, 'integration'))
  })

  scope.post(`${OFFERS}decline`, async (request, reply) => {
    const context = await requireSession(world, request, reply, OFFERS)
    const id = readId('trf', formOf(request).transfer_id)
    const { email_normalized } = context.session
    const isDone = id && (await declineTransfer(world, actorOf(context), { id, email_normalized }))
    return redirectTo(reply, `${OFFERS}?done=${isDone ? 'declined' : 'not_open'}`)
  })
}

/** The seller that receives the apps: the current one, if the account owns it. */
async function ownSeller(
  { db }: World,
  { session }: SessionContext,
): Promise<sellers.Membership | undefined> {
  const memberships = await sellers.membershipsOf(db, session.user_id)
  const owned = memberships.filter(({ role }) => sellers.isAllowed(role, 'transfer_apps'))
  return owned.find(({ seller_id }) => seller_id === session.seller_id) ?? owned[0]
}

async function showOffers(world: World, context: SessionContext): Promise<FastifyReply> {
  const { db, clock } = world
  const { request, reply, session } = context
  const owned = await ownSeller(world, context)
  const page = TransferOffersPage({
    csrf_token: csrfToken(world, request, reply),
    email: session.email,
    seller_name: owned?.legal_name,
    offers: await apps.transfersTo(db, clock.now(), session.email_normalized),
    note: noteFor(request, OFFER_NOTES),
  })
  return sendPage(reply, page)
}

const OFFER_NOTES: Record<string, ActionNote> = {
  declined: { tone: 'success', text: 'Declined. We emailed the seller.' },
  not_open: { tone: 'warning', text: 'The offer was withdrawn, answered or has expired.' },
  suspended: {
    tone: 'warning',
    text: 'This app or one of the sellers is suspended. Support can help.',
  },
  not_owner: { tone: 'warning', text: 'Only the owner of a seller can accept an app.' },
}
