import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { acceptTransfer, declineTransfer } from '#flows/app'
import type { World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { addressOf } from '#http/app-menu'
import { csrfToken } from '#http/form-token'
import { requireRecentProof, requireSession, type SessionContext } from '#http/guards/session'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { sellerTermsUrl } from '#http/redirect'
import { readId } from '#platform/ids'
import { actorOf } from './app-context.ts'
import { TransferOffersPage } from './transfer-pages.tsx'

const OFFERS = '/dashboard/transfers/'

/** Accepting or declining the apps that other sellers offer to the signed-in account. */
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
    note: noteFor(request, NOTES),
  })
  return sendPage(reply, page)
}

const NOTES: Record<string, ActionNote> = {
  declined: { tone: 'success', text: 'Declined. We emailed the seller.' },
  not_open: { tone: 'warning', text: 'The offer was withdrawn, answered or has expired.' },
  suspended: {
    tone: 'warning',
    text: 'This app or one of the sellers is suspended. Support can help.',
  },
  payouts_blocked: {
    tone: 'warning',
    text: 'This app cannot be transferred yet. Its seller can see why on their payouts page.',
  },
  not_owner: { tone: 'warning', text: 'Only the owner of a seller can accept an app.' },
}
