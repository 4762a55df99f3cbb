import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { type Held, holdLicense } from '#flows/hold'
import type { World } from '#flows/world'
import { audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import type { Asker } from './auto-renew.ts'
import { chargeInvoice, type InvoiceOutcome, intend } from './charge.ts'
import { writeInvoice } from './invoice.ts'

/** What a move costs and when it happens, exactly as it will be done if the buyer agrees. */
export interface MoveOffer {
  offer: catalog.Offer
  move: billing.PlanMove
  /** The tax on what is due now, and both together. */
  tax: Cents
  total: Cents
  /** What is paid for each period from then on, before tax, and the end of the first. */
  period_end: Date | null
  /** To be sent back with the buyer's agreement; good for ten minutes. */
  agreement: string
}

/** What came of a move that was agreed to. */
export type Moved =
  | InvoiceOutcome
  | { outcome: 'moved' | 'planned' }
  /** Something changed since it was shown: it is to be looked at again. */
  | { outcome: 'changed' }

const GOOD_FOR_SECONDS = 600

/** What the agreement pins: the moment to which the unused part is counted, and the tax on the rest. */
interface Pinned {
  license_id: string
  price_id: string
  price_id_before: string
  period_index: number
  amount: number
  when: billing.PlanMove['when']
  due: number
  at: number
  tax_quote_id: string | null
}

/** Offers a move to another price of the same app; undefined where there is none. */
export async function offerMove(
  world: World,
  facts: { license_id: string; price_id: string },
): Promise<MoveOffer | undefined> {
  const { db, random } = world
  const { license_id, price_id } = facts
  const held = await db.tx((tx) => holdLicense(world, tx, license_id))
  const offer = await catalog.findOffer(db, price_id)
  const move = offer && (await decide(db, held, offer, held.now))
  if (!offer || !move) return undefined
  const { now, subscription } = held
  const { state, zip } = subscription!
  const due = dueNow(move)
  const sale = { state, zip, amount: due }
  const figures = due > ZERO ? await world.taxes.quote(now, sale) : undefined
  const quote =
    figures && (await tax.keepQuote(db, now, { ...sale, ...figures, id: mintId(random, 'quote') }))
  const pinned = {
    license_id,
    price_id,
    price_id_before: subscription!.price_id,
    period_index: subscription!.period_index,
    amount: offer.amount,
    when: move.when,
    due,
    at: now.getTime(),
    tax_quote_id: quote?.id ?? null,
  }
  const owed = quote?.tax ?? ZERO
  const period_end = firstEnd(held, offer, move)
  return {
    offer,
    move,
    tax: owed,
    total: sum(due, owed),
    period_end,
    agreement: seal(world, pinned),
  }
}

/** Does what was agreed to: charges the difference, or plans the move for the period's end. */
export async function movePlan(
  world: World,
  asker: Asker,
  facts: { license_id: string; agreement: string; return_url: string },
): Promise<Moved> {
  const { license_id } = facts
  const pinned = unseal(world, facts.agreement)
  if (pinned?.license_id !== license_id) return { outcome: 'changed' }
  const done = await world.db.tx(async (tx): Promise<Begun> => {
    const held = await holdLicense(world, tx, license_id)
    const { subscription, now } = held
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
    return await begin(world, tx, { held, subscription, offer, move, pinned })
  })
  if ('end' in done) return done.end
  return await chargeInvoice(world, done.attempt, { app: done.app, return_url: facts.return_url })
}

/** A move that is done, or one whose difference is to be charged. */
type Begun = { end: Moved } | { attempt: payments.InvoiceAttempt; app: Held['app'] }

async function begin(
  world: World,
  tx: Db,
  facts: {
    held: Held
    subscription: billing.RunningSubscription
    offer: catalog.Offer
    move: billing.PlanMove
    pinned: Pinned
  },
): Promise<Begun> {
  const { held, subscription, offer, move, pinned } = facts
  const { app, license, now } = held
  const { license_id } = license
  if (move.when === 'period_end') {
    const plan = { pending_price_id: offer.id, pending_amount: offer.amount }
    await billing.changeSubscription(tx, subscription, plan)
    return { end: { outcome: 'planned' } }
  }
  if (move.when === 'in_trial') {
    const { product_id, amount, id: price_id } = offer
    await licensing.move(tx, now, { license_id, trigger: 'moved', to: 'trialing', product_id })
    const change = { price_id, amount, ...billing.NO_MOVE }
    await billing.changeSubscription(tx, subscription, change)
    return { end: { outcome: 'moved' } }
  }
  const at = new Date(pinned.at)
  const period = {
    period_index: subscription.period_index + 1,
    period_start: at,
    period_end: firstEnd({ ...held, now: at }, offer, move),
  }
  const quote = await tax.findQuote(tx, pinned.tax_quote_id!)
  const { amount: price_amount } = offer
  const { credit } = move
  const billed = { kind: 'upgrade' as const, period, offer, price_amount, credit, quote }
  const whose = { subscription, app, user_id: license.user_id }
  const invoice = await writeInvoice(world, tx, now, { ...whose, billed })
  const { card_id } = subscription
  const attempt = await intend(world, tx, { invoice, card_id, asked_by: 'buyer' })
  if (attempt) return { attempt, app }
  await billing.voidInvoice(tx, invoice.id)
  return { end: { outcome: 'processing' } }
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

/** What the move is at a moment; undefined where there is none to be made. */
async function decide(
  db: Db,
  { license, subscription, app }: Held,
  offer: catalog.Offer,
  at: Date,
): Promise<billing.PlanMove | undefined> {
  const { status } = license
  if (!subscription || offer.app_id !== app.id || offer.id === subscription.price_id) {
    return undefined
  }
  if (status !== 'active' && status !== 'trialing') return undefined
  // The period has ended, and the next one is being paid for as it was agreed.
  if (await billing.openInvoiceOf(db, subscription.id)) return undefined
  const last = await billing.lastPaidInvoice(db, license.license_id)
  const running = {
    status,
    period_start: last?.period_start ?? at,
    period_end: subscription.period_end,
    paid: last ? await worthOf(db, last) : ZERO,
  } as const
  const move = billing.planMove(at, subscription, offer, running)
  // Where auto-renew is off nothing follows this period.
  return move.when === 'period_end' && !subscription.auto_renew ? undefined : move
}

/** What the period that runs is worth: its price, less what of it was given back. */
async function worthOf(db: Db, invoice: billing.Invoice): Promise<Cents> {
  const charge = await payments.chargeOf(db, invoice.id)
  if (!charge) return invoice.price_amount
  const back = payments.refundedOf(await payments.refundsOf(db, charge.id))
  return cents(Math.max(0, invoice.price_amount - (back.amount - back.tax)))
}

/** The end of the first period under the new plan. */
function firstEnd(
  { now, subscription }: Pick<Held, 'now' | 'subscription'>,
  { frequency }: catalog.Offer,
  { when }: billing.PlanMove,
): Date | null {
  if (frequency === null) return null
  if (when === 'in_trial') return subscription!.period_end
  const anchor = when === 'now' ? now : subscription!.period_end
  return billing.periodOf({ anchor, anchor_index: 0, frequency }, 1).period_end
}

/** Whether everything is as it was when the buyer was asked. */
function isAsShown(
  { subscription, now }: Held,
  { offer, move }: { offer: catalog.Offer; move: billing.PlanMove },
  pinned: Pinned,
): boolean {
  const age = now.getTime() - pinned.at
  return (
    age >= 0 &&
    age <= GOOD_FOR_SECONDS * 1000 &&
    offer.amount === pinned.amount &&
    move.when === pinned.when &&
    dueNow(move) === pinned.due &&
    subscription!.price_id === pinned.price_id_before &&
    subscription!.period_index === pinned.period_index
  )
}

function dueNow(move: billing.PlanMove): Cents {
  return move.when === 'now' ? move.due : ZERO
}

function seal({ keys }: World, pinned: Pinned): string {
  const body = Buffer.from(JSON.stringify(pinned)).toString('base64url')
  return `${body}.${keys.hmac('plan-move', body).toString('base64url')}`
}

function unseal({ keys }: World, agreement: string): Pinned | undefined {
  const [body = '', signature = ''] = agreement.split('.')
  const isOurs = keys
    .hmacs('plan-move', body)
    .some((each) => each.toString('base64url') === signature)
  return isOurs ? JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) : undefined
}
