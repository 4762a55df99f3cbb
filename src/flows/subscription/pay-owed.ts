import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as tax from '#domain/tax'
import { lockLicense } from '#flows/locked-license'
import { type ChargeOutcome, chargeAttempt } from '#flows/payment'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { type LicenseId, mintId } from '#platform/ids'
import { type Due, intendDue } from './invoice.ts'
import { runningDiscount } from './running-discount.ts'

/** The outcome of paying; nothing may be owed, or another attempt may be pending. */
export type Paid = ChargeOutcome | { outcome: 'nothing_owed' }

/**
 * Charges what a license owes now, at the request of its owner or of staff; scheduled retries stay
 * as they are. A license that its owner had paused starts a new period.
 */
export async function payOwed(
  world: World,
  facts: { license_id: LicenseId; requested_by: 'buyer' | 'staff'; return_url: string },
): Promise<Paid> {
  const due = await dueOnResuming(world, facts.license_id)
  const charged = await world.db.tx(async (tx) => {
    const { license, subscription, app, now } = await lockLicense(world, tx, facts.license_id)
    if (!subscription || !owes(license)) return undefined
    // A suspended license does not resume because its owner ends their own pause.
    const isDisputed = (await payments.countOpenDisputes(tx, license.license_id)) > 0
    if (license.status === 'paused' && isDisputed) return undefined
    const open = await billing.openInvoiceOf(tx, subscription.id)
    if (!open && !due) return undefined
    const { requested_by } = facts
    const owed = { subscription, license, app, open, due, requested_by }
    return { app, intended: await intendDue(world, tx, now, owed) }
  })
  if (!charged) return { outcome: 'nothing_owed' }
  const { app, intended } = charged
  if (intended.outcome === 'settled') return { outcome: 'paid' }
  if (intended.outcome === 'processing') return intended
  return await chargeAttempt(world, intended.attempt, { app, return_url: facts.return_url })
}

/** Whether a license can be paid for now: it is past due, or its owner had paused it. */
function owes({ status, paused_for }: licensing.PausableLicense): boolean {
  return status === 'past_due' || status === 'unpaid' || paused_for === 'buyer'
}

/** What a paused license costs from now on; undefined where its owner did not pause it. */
async function dueOnResuming(world: World, license_id: LicenseId): Promise<Due | undefined> {
  const { db, random } = world
  const locked = await db.tx((tx) => lockLicense(world, tx, license_id))
  const { license, subscription, now } = locked
  if (!subscription || license.paused_for !== 'buyer') return undefined
  const { state, zip, amount: price_amount, price_id, period_index } = subscription
  const price = await catalog.findPrice(db, price_id)
  const agreed = { ...price, amount: price_amount }
  const lines = billing.priceLines(price_amount, await runningDiscount(db, subscription, agreed))
  const sale = { state, zip, amount: billing.linesTotal(lines) }
  const figures = await world.taxes.quote(now, sale)
  const quote = tax.newQuote(now, { ...sale, ...figures, id: mintId(random, 'quote') })
  const calendar = { ...subscription, anchor: now, anchor_index: period_index }
  return {
    kind: 'renewal',
    period: billing.periodOf(calendar, period_index + 1),
    price,
    lines,
    quote,
  }
}

/** Replaces the card of a subscription, and charges at once what is owed (decided: dunning). */
export async function changeCard(
  world: World,
  actor: ActorOf<'buyer' | 'seller'>,
  facts: {
    license_id: LicenseId
    card: payments.Card
    return_url: string
    /** Where the buyer lives now: later charges are taxed there. */
    address?: { state: string; zip: string }
  },
): Promise<Paid> {
  const { license_id, card, return_url, address } = facts
  await world.db.tx(async (tx) => {
    const { subscription, now } = await lockLicense(world, tx, license_id)
    if (!subscription) return
    const card_id = mintId(world.random, 'card')
    await payments.keepCard(tx, now, { id: card_id, user_id: actor.user_id, card })
    const change = { ...address, card_id, last_decline: null }
    await billing.changeSubscription(tx, subscription, change)
  })
  const license = await licensing.findLicense(world.db, license_id)
  if (license.status !== 'past_due' && license.status !== 'unpaid') {
    return { outcome: 'nothing_owed' }
  }
  return await payOwed(world, { license_id, requested_by: 'buyer', return_url })
}
