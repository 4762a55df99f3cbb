import type { FastifyInstance } from 'fastify'
import { nextCharge, pauseAtEnd, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import { formOf, goTo, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { forHolder, frameOf, type HolderVisit } from './holder.ts'
import { AutoRenewPage, PausePage } from './renewal-pages.tsx'

/** Auto-renew on and off, and a pause: each is asked with what it means. */
export function declareRenewal(scope: FastifyInstance, world: World): void {
  declareAutoRenew(scope, world)
  declarePause(scope, world)
}

function askerOf({ request, session }: HolderVisit) {
  return { user_id: session.user_id, request_id: request.id }
}

function isOwing({ license }: HolderVisit): boolean {
  return license.status === 'past_due' || license.status === 'unpaid'
}

/** Whether turning it off ends the license at once: nothing of it is paid for. */
function endsNow(visit: HolderVisit): boolean {
  return isOwing(visit) || visit.license.paused_for === 'buyer'
}

function mayRenew({ license, subscription }: HolderVisit): boolean {
  if (subscription === undefined || license.status === 'canceled') return false
  return license.status !== 'paused' || license.paused_for === 'buyer'
}

function declareAutoRenew(scope: FastifyInstance, world: World): void {
  const path = '/manage/:client_id/auto-renew/'
  scope.get(
    path,
    forHolder(world, async (visit) => {
      const { reply, app, license, subscription, at } = visit
      const next = await nextCharge(world, { license_id: license.license_id, app })
      if (!mayRenew(visit) || !subscription || !next) return goTo(reply, at())
      const page = AutoRenewPage({
        ...(await frameOf(world, visit)),
        is_on: subscription.auto_renew,
        is_owing: isOwing(visit),
        ends_now: endsNow(visit),
        is_trial: license.status === 'trialing',
        plan: next.offer.product_name,
        period_end: subscription.period_end,
        total: next.total,
        is_about: !next.is_exact,
        may_pause: app.allows_pause && license.status === 'active' && subscription.auto_renew,
      })
      return sendPage(reply, page)
    }),
  )

  scope.post(
    path,
    forHolder(world, async (visit) => {
      const { request, reply, license, at } = visit
      const to = readSwitch(formOf(request).to)
      // Nothing ends at once by a form that was drawn before it would.
      const isOther = endsNow(visit) && formOf(request).ends_now !== 'yes'
      if (!mayRenew(visit) || isOther) return goTo(reply, at('', { done: 'changed' }))
      await setAutoRenew(world, askerOf(visit), { license_id: license.license_id, to })
      const ended = endsNow(visit) && to === 'off'
      return goTo(reply, at('', { done: ended ? 'ended' : `auto_renew_${to}` }))
    }),
  )
}

function declarePause(scope: FastifyInstance, world: World): void {
  const path = '/manage/:client_id/pause/'
  scope.get(
    path,
    forHolder(world, async (visit) => {
      const { reply, app, license, subscription, at } = visit
      const isPlanned = subscription?.pause_at_end ?? false
      const may = app.allows_pause && license.status === 'active' && subscription?.auto_renew
      if (!subscription || !(may || isPlanned)) return goTo(reply, at())
      const { period_end } = subscription
      const facts = { ...(await frameOf(world, visit)), is_planned: isPlanned, period_end }
      return sendPage(reply, PausePage(facts))
    }),
  )

  scope.post(
    path,
    forHolder(world, async (visit) => {
      const { request, reply, license, at } = visit
      const to = readSwitch(formOf(request).to)
      const wish = { license_id: license.license_id, to }
      const isDone = await pauseAtEnd(world, askerOf(visit), wish)
      return goTo(reply, at('', { done: isDone ? `pause_${to}` : 'changed' }))
    }),
  )
}

function readSwitch(text: string | undefined): 'on' | 'off' {
  if (text !== 'on' && text !== 'off') throw refuse('invalid_request')
  return text
}
