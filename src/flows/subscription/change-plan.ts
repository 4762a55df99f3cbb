import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as tax from '#domain/tax'
import { type Held, holdLicense } from '#flows/hold'
import type { World } from '#flows/world'
import { audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { EMAIL_QUEUE } from '#platform/email-queue'
import type { Asker } from './auto-renew.ts'
import { chargeInvoice, type Intended, type InvoiceOutcome, intend } from './charge.ts'
import { decide, firstEnd, isAsShown, type Pinned, unseal } from './plan-offer.ts'

/** What came of a move that was agreed to. */
export type Moved =
  | InvoiceOutcome
  | { outcome: 'moved' | 'planned' }
  /** Something changed since it was shown: it is to be looked at again. */
  | { outcome: 'changed' }

/** Does what was agreed to: charges the difference, or plans the move for the period's end. */
export async function movePlan(
  world: World,
  asker: Asker,
  facts: { license_id: string; agreement: string; return_url: string },
): Promise<Moved> {
  const { license_id, return_url } = facts
  const pinned = unseal(world, facts.agreement)
  if (pinned?.license_id !== license_id) return { outcome: 'changed' }
  const done = await world.db.tx(async (tx): Promise<Begun> => {
    const held = await holdLicense(world, tx, license_id)
    const { subscription, app, now } = held
    // Held, so that nobody takes the plan off sale before this move is on record.
    const offer = await catalog.holdOffer(tx, pinned.price_id)
    const move = offer && (await decide(tx, held, offer, new Date(pinned.at)))
    if (!offer || !move || !subscription || !isAsShown(held, { offer, move }, pinned)) {
      return { end: { outcome: 'changed' } }
    }
    const { user_id, request_id } = asker
    const detail = { from: subscription.price_id, to: offer.id, when: move.when }
    const action = 'license.plan_move'
    await audit(tx, now, { actor: user_id, action, subject: license_id, request_id, detail })
    const moving = { held, subscription, offer, move, pinned }
    if (move.when !== 'now') return { end: await moveFree(tx, moving) }
    return { intended: await bill(world, tx, moving, move.credit), app }
  })
  if ('end' in done) return done.end
  if (done.intended.outcome !== 'intended') {
    world.jobs.wake(EMAIL_QUEUE)
    return done.intended.outcome === 'waived' ? { outcome: 'moved' } : done.intended
  }
  return await chargeInvoice(world, done.intended.attempt, { app: done.app, return_url })
}

/** A move that is done, or one whose difference is to be charged. */
type Begun = { end: Moved } | { intended: Intended; app: Held['app'] }

interface Moving {
  held: Held
  subscription: billing.RunningSubscription
  offer: catalog.Offer
  move: billing.PlanMove
  pinned: Pinned
}

/** A move for which nothing is due now: within a trial, or at the period's end. */
async function moveFree(tx: Db, { held, subscription, offer, move }: Moving): Promise<Moved> {
  const { license, now } = held
  if (move.when !== 'in_trial') {
    const plan = { pending_price_id: offer.id, pending_amount: offer.amount }
    await billing.changeSubscription(tx, subscription, plan)
    return { outcome: 'planned' }
  }
  const { license_id } = license
  const { product_id, amount, id: price_id } = offer
  const { trial_end: period_end } = move
  const step = { license_id, trigger: 'moved', to: 'trialing', product_id, period_end } as const
  await licensing.move(tx, now, step)
  const isSame = period_end.getTime() === subscription.period_end.getTime()
  if (!isSame && !subscription.auto_renew) {
    await licensing.setEndDay(tx, { license_id, canceled_at: period_end })
  }
  const end = { period_end, anchor: period_end, next_at: billing.trialDue(now, period_end) }
  await billing.changeSubscription(tx, subscription, {
    price_id,
    amount,
    ...(isSame ? {} : end),
    ...billing.NO_MOVE,
  })
  return { outcome: 'moved' }
}

/** Bills the difference that is due for a move at once. */
async function bill(world: World, tx: Db, moving: Moving, credit: billing.Invoice['credit']) {
  const { held, subscription, offer, move, pinned } = moving
  const { app, license, now } = held
  const at = new Date(pinned.at)
  const billed = {
    kind: 'upgrade' as const,
    period: {
      period_index: subscription.period_index + 1,
      period_start: at,
      period_end: firstEnd({ ...held, now: at }, offer, move),
    },
    offer,
    price_amount: offer.amount,
    credit,
    quote: await tax.findQuote(tx, pinned.tax_quote_id!),
  }
  const { user_id } = license
  return await intend(world, tx, now, { subscription, app, user_id, billed, asked_by: 'buyer' })
}

/** Takes a planned move back. */
export async function cancelMove(world: World, asker: Asker, license_id: string): Promise<void> {
  await world.db.tx(async (tx) => {
    const { subscription, now } = await holdLicense(world, tx, license_id)
    if (!subscription?.pending_price_id) return
    await billing.changeSubscription(tx, subscription, billing.NO_MOVE)
    const { user_id, request_id } = asker
    const action = 'license.plan_move_withdrawn'
    await audit(tx, now, { actor: user_id, action, subject: license_id, request_id })
  })
}
