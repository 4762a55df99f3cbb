import type { FastifyInstance } from 'fastify'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { nextCharge, pauseAtEnd, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import { MANAGE_PATH } from '#http/guards/license'
import { formOf, requireSwitch } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import {
  buyerOf,
  layoutFacts,
  type ManageContext,
  mayPause,
  requireManagedLicense,
} from './license-context.ts'
import { AutoRenewPage, PausePage } from './renewal-pages.tsx'

/** Auto-renew and pauses, each with a confirmation page. */
export function declareRenewal(scope: FastifyInstance, world: World): void {
  declareAutoRenew(scope, world)
  declarePause(scope, world)
}

/** Whether turning auto-renew off ends the license immediately: no paid time is left. */
function endsNow({ license }: ManageContext): boolean {
  return licensing.isInDunning(license.status) || license.paused_for === 'buyer'
}

function mayRenew({ license, subscription }: ManageContext): boolean {
  if (subscription === undefined || license.status === 'canceled') return false
  return license.status !== 'paused' || license.paused_for === 'buyer'
}

function declareAutoRenew(scope: FastifyInstance, world: World): void {
  const path = `${MANAGE_PATH}/auto-renew/`
  scope.get(path, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, subscription, at } = context
    const { product_id } = license
    const next = await nextCharge(world, license.license_id)
    if (!mayRenew(context) || !subscription || !next) return redirectTo(reply, at())
    const isKept = !subscription.auto_renew && !endsNow(context)
    const page = AutoRenewPage({
      ...layoutFacts(world, context),
      is_on: subscription.auto_renew,
      is_in_dunning: licensing.isInDunning(license.status),
      ends_now: endsNow(context),
      is_trial: license.status === 'trialing',
      // A scheduled plan change counts only for the period that is renewed.
      plan: isKept ? next.price.product_name : await catalog.productName(world.db, product_id),
      period_end: subscription.period_end,
      total: next.charged,
      is_about: !next.is_exact,
      may_pause: mayPause(context),
    })
    return sendPage(reply, page)
  })

  scope.post(path, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, at } = context
    const to = requireSwitch(formOf(request).to)
    // A form from before this would end the license does not end it.
    const may_end = formOf(request).ends_now === 'yes'
    const isOther = endsNow(context) && !may_end
    if (!mayRenew(context) || isOther) return redirectTo(reply, at('', { done: 'not_done' }))
    const { license_id } = license
    const isSet = await setAutoRenew(world, buyerOf(context), { license_id, to, may_end })
    if (!isSet) return redirectTo(reply, at('', { done: 'not_done' }))
    if (to === 'on') return redirectTo(reply, at('', { done: 'auto_renew_on' }))
    if (endsNow(context)) return redirectTo(reply, at())
    const isPaying = await payments.isPaymentPendingForLicense(world.db, license_id)
    return redirectTo(reply, at('', { done: `auto_renew_off${isPaying ? '_paying' : ''}` }))
  })
}

function declarePause(scope: FastifyInstance, world: World): void {
  const path = `${MANAGE_PATH}/pause/`
  scope.get(path, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { subscription, at } = context
    const isPlanned = subscription?.pause_at_end ?? false
    if (!subscription || !(mayPause(context) || isPlanned)) return redirectTo(reply, at())
    const { period_end } = subscription
    const facts = { ...layoutFacts(world, context), is_planned: isPlanned, period_end }
    return sendPage(reply, PausePage(facts))
  })

  scope.post(path, async (request, reply) => {
    const context = await requireManagedLicense(world, request, reply)
    const { license, at } = context
    const to = requireSwitch(formOf(request).to)
    const { license_id } = license
    const isDone = await pauseAtEnd(world, buyerOf(context), { license_id, to })
    return redirectTo(reply, at('', { done: isDone ? `pause_${to}` : 'not_done' }))
  })
}
