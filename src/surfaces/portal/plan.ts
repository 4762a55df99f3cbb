import type { FastifyInstance, FastifyReply } from 'fastify'
import * as catalog from '#domain/catalog'
import { cancelPlanChange, changePlan, offerPlanChange, withTax } from '#flows/subscription'
import { appTime, type World } from '#flows/world'
import type { Limit } from '#platform/limits'
import { formOf, goTo, limitPage, queryOf, sendPage } from '#surfaces/pages'
import { forHolder, frameOf, type HolderVisit } from './holder.ts'
import { noteOf } from './notes.ts'
import { charge, resumeUrl } from './paying.ts'
import { ChoosePlanPage, PlanChangePage } from './plan-pages.tsx'

const OFFERS: Limit = { name: 'plan-offers', points: 120, seconds: 3600 }
const PLAN = '/manage/:client_id/plan/'

/** Moving to another plan: the choice, what it costs to the cent, and the move (decided: plan move). */
export function declarePlan(scope: FastifyInstance, world: World): void {
  scope.get(
    PLAN,
    forHolder(world, async (visit) => {
      const { reply, app, subscription } = visit
      if (!mayMove(visit)) return goTo(reply, visit.at())
      const at = appTime(world, app)
      const offers = (await catalog.offers(world.db, app.id)).map(async (offer) => {
        const { total } = await withTax(world, subscription!, { amount: offer.amount, at })
        return { ...offer, total }
      })
      const page = ChoosePlanPage({
        ...(await frameOf(world, visit)),
        products: await catalog.products(world.db, app.id),
        offers: await Promise.all(offers),
        current_price_id: subscription!.price_id,
        pending_price_id: subscription!.pending_price_id,
      })
      return sendPage(reply, page)
    }),
  )

  scope.get(
    `${PLAN}:price_id/`,
    forHolder(world, async (visit) => await sendOffer(world, visit)),
  )

  scope.post(
    `${PLAN}:price_id/`,
    forHolder(world, async (visit) => {
      const { request, license } = visit
      const { agreement = '' } = formOf(request)
      const asker = { user_id: visit.session.user_id, request_id: request.id }
      const return_url = resumeUrl(world, visit)
      const agreed = { license_id: license.license_id, agreement, return_url }
      return await charge(world, visit, {
        run: () => changePlan(world, asker, agreed),
        failed: `plan/${priceOf(visit)}/`,
        done: 'plan_changed',
      })
    }),
  )

  scope.post(
    `${PLAN}keep`,
    forHolder(world, async (visit) => {
      const asker = { user_id: visit.session.user_id, request_id: visit.request.id }
      await cancelPlanChange(world, asker, visit.license.license_id)
      return goTo(visit.reply, visit.at('', { done: 'kept' }))
    }),
  )
}

function mayMove({ license, subscription }: HolderVisit): boolean {
  return subscription !== undefined && ['active', 'trialing'].includes(license.status)
}

function priceOf({ request }: HolderVisit): string {
  return encodeURIComponent((request.params as { price_id: string }).price_id)
}

/** Shows what a move costs now, exactly as it is done if the buyer agrees. */
async function sendOffer(world: World, visit: HolderVisit): Promise<FastifyReply> {
  const { request, reply, session, license, subscription, at } = visit
  const { license_id } = license
  const { price_id } = request.params as { price_id: string }
  // Each look writes a quote of the tax, for which a tax service may be paid.
  await limitPage(world, OFFERS, session.user_id, reply)
  const offered = mayMove(visit) && (await offerPlanChange(world, { license_id, price_id }))
  if (!offered) {
    if (subscription?.auto_renew === false)
      return goTo(reply, at('', { done: 'cannot_change_plan' }))
    return goTo(reply, at(mayMove(visit) ? 'plan/' : ''))
  }
  const before = await catalog.findBought(world.db, subscription!.price_id)
  const { offer, change: move, tax, total, is_waived, renewal, period_end, agreement } = offered
  const page = PlanChangePage({
    ...(await frameOf(world, visit)),
    note: await noteOf(world, license_id, queryOf(request, 'done')),
    action: at(`plan/${priceOf(visit)}/`),
    agreement,
    from: before.product_name,
    to: offer,
    same_plan: before.product_id === offer.product_id,
    when: move.when,
    credit: move.when === 'now' ? move.credit : 0,
    due: move.when === 'now' ? move.due : 0,
    tax,
    total,
    is_waived,
    renewal,
    state: subscription!.state,
    /** When the present period ends, and the first one under the new plan. */
    changes_at: subscription!.period_end,
    period_end,
    auto_renew: subscription!.auto_renew,
  })
  return sendPage(reply, page)
}
