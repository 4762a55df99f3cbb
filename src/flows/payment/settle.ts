import * as billing from '#domain/billing'
import * as discounts from '#domain/discounts'
import * as payments from '#domain/payments'
import type * as tax from '#domain/tax'
import { leaveUnpaid } from '#flows/subscription/unpaid'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import { ZERO } from '#platform/money'
import type { Writes } from '#platform/together'
import { lockContinued } from './continuation.ts'
import { type LockedOwner, lockAttempt } from './locked-attempt.ts'
import { pay } from './pay.ts'

/** The outcome of an attempt. */
export type Settled =
  | { outcome: 'paid' }
  | { outcome: 'declined'; decline_code: payments.DeclineCode }
  | { outcome: 'action_required'; action_url: string }
  | { outcome: 'not_charged' }

/** The immutable parts of an invoice, from a caller that has read them. */
export interface KnownInvoice {
  owner?: billing.InvoiceOwner
  quote?: tax.Quote
}

/**
 * Records the processor's answer to an attempt, and all that follows from it, in one transaction. A
 * repeated answer changes nothing.
 */
export async function settle(
  world: World,
  { id, invoice_id }: Pick<payments.Attempt, 'id' | 'invoice_id'>,
  given: payments.ChargeAnswer,
  known: KnownInvoice = {},
): Promise<Settled> {
  return await world.db.tx(async (tx) => {
    const { owner, attempt } = await lockAttempt(tx, { id, invoice_id }, known.owner)
    if (!payments.isPending(attempt)) return settledOf(attempt)
    const now = appTime(world, attempt)
    const answer = await answerFor(tx, now, owner, given)
    const record = (writes: Writes) => payments.recordAnswer(writes, now, id, answer)
    if (answer.status === 'succeeded') {
      const charged = { attempt_id: id, processor_charge_id: answer.charge_id }
      const paid_by = attempt.amount === ZERO ? ('nothing' as const) : charged
      const { quote } = known
      await pay(world, tx, now, { invoice_id, owner, payer: attempt, paid_by, record, quote })
      return { outcome: 'paid' }
    }
    const answered = await record(tx)
    if (answer.status === 'refused') {
      world.log.warn({ attempt_id: id, reason: answer.reason }, 'the processor refused a charge')
    }
    if (answer.status !== 'action_required') {
      if (owner.kind === 'purchase') await voidPurchase(tx, invoice_id)
      else await leaveUnpaid(world, tx, now, { ...owner, attempt, answer })
    }
    return settledOf(answered)
  })
}

/**
 * The answer that counts: the card of a buyer who continues an imported license was checked for
 * nothing if the seller ended or changed the license while that was pending.
 */
async function answerFor(
  tx: Db,
  now: Date,
  owner: LockedOwner,
  given: payments.ChargeAnswer,
): Promise<payments.ChargeAnswer> {
  if (given.status !== 'succeeded' || owner.kind !== 'purchase') return given
  const { continues_license_id: license_id, user_id } = owner.cart
  if (license_id === null) return given
  const { product_id, period_end } = owner.draft
  const wanted = { license_id, user_id, product_id, period_end }
  return (await lockContinued(tx, now, wanted, { paying: true })) ? { status: 'closed' } : given
}

/** Voids the draft invoice of an unpaid purchase, which frees its use of the discount code. */
async function voidPurchase(tx: Db, invoice_id: InvoiceId): Promise<void> {
  await discounts.returnUse(tx, invoice_id)
  await billing.voidInvoice(tx, invoice_id)
}

/** The outcome of a recorded attempt. An attempt without an answer counts as not charged. */
export function settledOf(
  attempt: Pick<payments.Attempt, 'status' | 'decline_code' | 'action_url'>,
): Settled {
  const { status, decline_code, action_url } = attempt
  if (status === 'succeeded') return { outcome: 'paid' }
  if (decline_code !== null) return { outcome: 'declined', decline_code }
  if (action_url !== null) return { outcome: 'action_required', action_url }
  return { outcome: 'not_charged' }
}
