import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import type { TaxAddress } from '#domain/tax'
import { billingAddress, cardRefusal } from '#flows/checkout'
import { changeCard } from '#flows/subscription'
import type { World } from '#flows/world'
import { MANAGE_PATH } from '#http/guards/license'
import { redirectTo, sendPage } from '#http/pages'
import {
  clearSignedCookie,
  readSignedCookie,
  type SignedCookie,
  setSignedCookie,
} from '#http/signed-cookie'
import { idSchema, type LicenseId, type SessionId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import {
  buyerOf,
  layoutFacts,
  type ManageContext,
  requireManagedLicense,
} from './license-context.ts'
import { MovedPage } from './moved-page.tsx'
import { charge, resumeUrl } from './paying.ts'

/**
 * The processor portal that this browser opened for a license. Portals of other licenses may be
 * open in other tabs.
 */
function portalCookie({ license_id }: { license_id: LicenseId }): SignedCookie<OpenedPortal> {
  return {
    name: `portal-${license_id}`,
    seconds: 3600,
    facts: z.object({ session_id: idSchema('ses'), portal_id: z.string() }),
  }
}

interface OpenedPortal {
  session_id: SessionId
  portal_id: string
}

/** Changing the card on the processor's billing portal. */
export function declareCard(scope: FastifyInstance, world: World): void {
  const { db, processor, config } = world
  scope.post(`${MANAGE_PATH}/card`, async (request, reply) => {
    const { app, license, subscription, session, now, at } = await requireManagedLicense(
      world,
      request,
      reply,
    )
    if (!subscription || license.status === 'canceled') return redirectTo(reply, at())
    const { id: portal_id, url } = await processor.openPortal(now, {
      ...apps.brandOf(app),
      email: session.email,
      card_token: (await payments.getCard(db, subscription.card_id)).token,
      return_url: `${config.base_url}${at('card')}`,
      language: localeOf(request).language,
    })
    const opened = { session_id: session.id, portal_id }
    setSignedCookie(world, reply, portalCookie(license), opened)
    return redirectTo(reply, url)
  })

  scope.get(`${MANAGE_PATH}/card`, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, subscription, at } = context
    const portal_id = portalOf(world, context)
    if (!portal_id || !subscription || license.status === 'canceled') return redirectTo(reply, at())
    const card = await processor.readPortal(portal_id)
    const refusal = card && cardRefusal(card, subscription.state)
    if (refusal === 'other_state') {
      const { state, zip } = subscription
      const layout = layoutFacts(world, context)
      const page = MovedPage({ ...layout, declared: { state, zip }, billed: billingAddress(card!) })
      return sendPage(reply, page, { status: 422 })
    }
    clearSignedCookie(reply, portalCookie(license))
    if (!card) return redirectTo(reply, at('', { done: 'card_same' }))
    if (refusal) return redirectTo(reply, at('', { done: `card_${refusal}` }))
    return await replaceCard(world, context, { card })
  })

  scope.post(`${MANAGE_PATH}/card/address`, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, subscription, at } = context
    const portal_id = portalOf(world, context)
    clearSignedCookie(reply, portalCookie(license))
    if (!portal_id || !subscription || license.status === 'canceled') return redirectTo(reply, at())
    const card = await processor.readPortal(portal_id)
    const address = card && billingAddress(card)
    if (!card || !address || cardRefusal(card, address.state)) return redirectTo(reply, at())
    return await replaceCard(world, context, { card, address })
  })
}

/** Replaces the card of a subscription, and charges what is due. */
async function replaceCard(
  world: World,
  context: ManageContext,
  facts: { card: payments.Card; address?: TaxAddress },
): Promise<FastifyReply> {
  const { license_id } = context.license
  const return_url = resumeUrl(world, context)
  return await charge(world, context, {
    run: () => changeCard(world, buyerOf(context), { ...facts, license_id, return_url }),
    otherwise: facts.address ? 'moved_address' : 'card_changed',
  })
}

/** The portal that this session opened for this license. */
function portalOf(world: World, { request, session, license }: ManageContext): string | undefined {
  const opened = readSignedCookie(world, request, portalCookie(license))
  return opened?.session_id === session.id ? opened.portal_id : undefined
}
