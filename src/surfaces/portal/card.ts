import type { FastifyInstance } from 'fastify'
import * as payments from '#domain/payments'
import { cardRefusal } from '#flows/checkout'
import { changeCard } from '#flows/subscription'
import type { World } from '#flows/world'
import { clearMark, type Mark, readMark, setMark } from '#surfaces/browser'
import { goTo } from '#surfaces/pages'
import { forHolder, type HolderVisit } from './holder.ts'
import { charge, resumeUrl } from './paying.ts'

/** Which visit to the processor's portal this browser is on, for which license. */
const PORTAL: Mark = { name: 'portal', seconds: 3600 }

/** The card that pays: put in another's place on the processor's own billing portal. */
export function declareCard(scope: FastifyInstance, world: World): void {
  const { db, processor, config } = world
  scope.post(
    '/manage/:client_id/card',
    forHolder(world, async (visit) => {
      const { reply, app, license, subscription, session, now, at } = visit
      if (!subscription || license.status === 'canceled') return goTo(reply, at())
      const { id, url } = await processor.openPortal(now, {
        app_name: app.name,
        email: session.email,
        card_token: (await payments.findCard(db, subscription.card_id)).token,
        return_url: `${config.base_url}${at('card')}`,
      })
      setMark(world, reply, PORTAL, JSON.stringify([session.id, license.license_id, id]))
      return goTo(reply, url)
    }),
  )

  scope.get(
    '/manage/:client_id/card',
    forHolder(world, async (visit) => {
      const { request, reply, session, license, subscription, at } = visit
      const portal_id = portalOf(world, visit)
      clearMark(reply, PORTAL)
      if (!portal_id || !subscription || license.status === 'canceled') return goTo(reply, at())
      const card = await processor.readPortal(portal_id)
      if (!card) return goTo(reply, at('', { done: 'card_same' }))
      const refusal = cardRefusal(card)
      if (refusal) return goTo(reply, at('', { done: `card_${refusal}` }))
      const asker = { user_id: session.user_id, request_id: request.id }
      const facts = { license_id: license.license_id, card, return_url: resumeUrl(world, visit) }
      return await charge(world, visit, {
        run: () => changeCard(world, asker, facts),
        otherwise: 'card_changed',
      })
    }),
  )
}

/** The portal that this very session opened for this license. */
function portalOf(world: World, { request, session, license }: HolderVisit): string | undefined {
  const [session_id, license_id, id] = JSON.parse(readMark(world, request, PORTAL) ?? '[]')
  return session_id === session.id && license_id === license.license_id ? id : undefined
}
