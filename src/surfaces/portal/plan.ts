import type { FastifyInstance, FastifyReply } from 'fastify'
import type * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { cancelPlanChange, changePlan, quotePlanChange, withTax } from '#flows/subscription'
import type { World } from '#flows/world'
import { MANAGE_PATH } from '#http/guards/license'
import { formOf, paramsOf, queryOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import type { Limit } from '#platform/limits'
import { type Cents, ZERO } from '#platform/money'
import {
  buyerOf,
  layoutFacts,
  type ManageContext,
  requireManagedLicense,
} from './license-context.ts'
import { noteOf } from './notes.ts'
import { charge, resumeUrl } from './paying.ts'
import { ChoosePlanPage, PlanChangePage } from './plan-pages.tsx'

const QUOTES: Limit = { name: 'plan-prices', points: 120, seconds: 3600 }
const PLAN = `${MANAGE_PATH}/plan/`

/** Plan changes: the choice, the exact cost, and the change (decision 56). */
export function declarePlan(scope: FastifyInstance, world: World): void {
  scope.get(PLAN, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { app, subscription, now: at } = context
    if (!mayChangePlan(context)) return redirectTo(reply, context.at())
    const prices = (await catalog.livePrices(world.db, app.id)).map(async (price) => {
      const amount = agreedAmount(subscription!, price)
      const { total } = await withTax(world, subscription!, { amount, at })
      return { ...price, amount, total }
    })
    const page = ChoosePlanPage({
      ...layoutFacts(world, context),
      products: await catalog.products(world.db, app.id),
      prices: await Promise.all(prices),
      current_price_id: subscription!.price_id,
      pending_price_id: subscription!.pending_price_id,
    })
    return sendPage(reply, page)
  })

  scope.get(`${PLAN}:price_id/`, async (request, reply) =>
    sendPlanQuote(world, await requireManagedLicense(world, request, reply)),
  )

  scope.post(`${PLAN}:price_id/`, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license_id } = context.license
    const { agreement = '' } = formOf(request)
    const agreed = { license_id, agreement, return_url: resumeUrl(world, context) }
    return await charge(world, context, {
      run: () => changePlan(world, buyerOf(context), agreed),
      failed: `plan/${priceOf(context)}/`,
      done: 'plan_changed',
    })
  })

  scope.post(`${PLAN}keep`, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license_id } = context.license
    const price_id = readId('prc', formOf(request).price_id)
    const isCanceled = await cancelPlanChange(world, buyerOf(context), license_id, price_id)
    return redirectTo(reply, context.at('', { done: isCanceled ? 'kept' : 'kept_too_late' }))
  })
}

/** What a price costs this buyer: the agreed amount of the current and the scheduled plan. */
function agreedAmount(
  { price_id, amount, pending_price_id, pending_amount }: billing.Subscription,
  price: catalog.ProductPrice,
): Cents {
  if (price.id === price_id) return amount
  return price.id === pending_price_id ? pending_amount! : price.amount
}

function mayChangePlan({ license, subscription }: ManageContext): boolean {
  return subscription !== undefined && licensing.isRunning(license.status)
}

function priceOf({ request }: ManageContext): string {
  return encodeURIComponent(paramsOf('/:price_id', request).price_id)
}

/** Shows the current cost of a plan change, exactly as it happens once confirmed. */
async function sendPlanQuote(world: World, context: ManageContext): Promise<FastifyReply> {
  const { request, reply, session, license, subscription, at } = context
  const { license_id } = license
  const price_id = readId('prc', paramsOf('/:price_id', request).price_id)
  // Each view stores a tax quote, which a tax service may charge for.
  await limitPage(world, QUOTES, session.user_id, reply)
  const isPossible = price_id !== undefined && mayChangePlan(context)
  const quoted = isPossible && (await quotePlanChange(world, { license_id, price_id }))
  if (!quoted) {
    if (subscription?.auto_renew === false)
      return redirectTo(reply, at('', { done: 'cannot_change_plan' }))
    return redirectTo(reply, at(mayChangePlan(context) ? 'plan/' : ''))
  }
  const before = await catalog.getPrice(world.db, subscription!.price_id)
  const { price, change, tax, total, is_waived, renewal, period_end, agreement } = quoted
  const { discount, discounted_periods } = quoted
  const locale = localeOf(request)
  const card = await payments.getCard(world.db, subscription!.card_id)
  const page = PlanChangePage({
    ...layoutFacts(world, context),
    note: await noteOf(world, license_id, queryOf(request, 'done'), locale),
    action: at(`plan/${priceOf(context)}/`),
    agreement,
    from: before.product_name,
    to: price,
    same_plan: before.product_id === price.product_id,
    when: change.when,
    is_trial: license.status === 'trialing',
    discount,
    discounted_periods,
    credit: change.when === 'now' ? change.credit : ZERO,
    due: change.when === 'now' ? change.due : ZERO,
    tax,
    total,
    is_waived,
    renewal,
    state: subscription!.state,
    // When the current period ends, and the first one under the new plan begins.
    changes_at: subscription!.period_end,
    period_end,
    auto_renew: subscription!.auto_renew,
    pauses: subscription!.pause_at_end,
    card: payments.cardName(card, locale),
  })
  return sendPage(reply, page)
}
