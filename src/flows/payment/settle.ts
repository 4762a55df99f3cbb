import * as billing from '#domain/billing'
import * as discounts from '#domain/discounts'
import * as payments from '#domain/payments'
import type * as tax from '#domain/tax'
import { recordUnpaid } from '#flows/subscription/unpaid'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import { ZERO } from '#platform/money'
import { type PreparedChange, type Writes, writeAll, writeTogether } from '#platform/write-together'
import { lockContinued } from './continuation.ts'
import { type LockedAttempt, lockAttempts } from './locked-attempt.ts'
import { preparePayment } from './pay.ts'

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

/** A processor's answer to an attempt. */
export interface Answered {
  attempt: Pick<payments.Attempt, 'id' | 'invoice_id'>
  answer: payments.ChargeAnswer
  known?: KnownInvoice | undefined
}

/**
 * Records the processor's answer to an attempt, and all that follows from it, in one transaction. A
 * repeated answer changes nothing.
 */
export async function settle(world: World, answered: Answered): Promise<Settled> {
  const [settled] = await settleAll(world, [answered])
  return settled!
}

/** Like `settle`, for several attempts in one transaction. */
export async function settleAll(world: World, answered: readonly Answered[]): Promise<Settled[]> {
  return await world.db.tx(
    async (tx) => {
      const locked = await lockAttempts(tx, answered)
      const changes: PreparedChange<Settled>[] = []
      for (const [index, each] of answered.entries()) {
        changes.push(await prepareAnswer(world, tx, locked[index]!, each))
      }
      return await writeAll(tx, changes)
    },
    { generic_plans: true },
  )
}

async function prepareAnswer(
  world: World,
  tx: Db,
  { owner, attempt }: LockedAttempt,
  { answer: given, known }: Answered,
): Promise<PreparedChange<Settled>> {
  if (!payments.isPending(attempt)) return settledBefore(attempt)
  const { id, invoice_id } = attempt
  const now = appTime(world, attempt)
  const answer = await answerFor(tx, now, { owner, attempt }, given)
  const record = (writes: Writes) => payments.recordAnswer(writes, now, id, answer)
  if (answer.status === 'succeeded') {
    const charged = { attempt_id: id, processor_charge_id: answer.charge_id }
    const paid_by = attempt.amount === ZERO ? ('nothing' as const) : charged
    const paid = { invoice_id, owner, payer: attempt, paid_by, quote: known?.quote }
    const payment = await preparePayment(world, tx, now, paid)
    return {
      write: (writes) => writeTogether(writes, (each) => [record(each), payment.write(each)]),
      async finish() {
        await payment.finish()
        return { outcome: 'paid' }
      },
    }
  }
  if (answer.status === 'refused') {
    world.log.warn({ attempt_id: id, reason: answer.reason }, 'the processor refused a charge')
  }
  return {
    write: record,
    async finish() {
      if (answer.status !== 'action_required') {
        if (owner.kind === 'purchase') await voidPurchase(tx, invoice_id)
        else await recordUnpaid(world, tx, now, { ...owner, attempt, answer })
      }
      return settledOf(payments.outcomeOf(answer))
    },
  }
}

/** An earlier answer was recorded, so this one changes nothing. */
function settledBefore(attempt: payments.Attempt): PreparedChange<Settled> {
  return { async write() {}, finish: async () => settledOf(attempt) }
}

/**
 * The answer that counts. A successful card check counts as closed if, while it was pending, the
 * imported license that the buyer continues ended or changed, or another trial began with the card.
 */
async function answerFor(
  tx: Db,
  now: Date,
  { owner, attempt }: LockedAttempt,
  given: payments.ChargeAnswer,
): Promise<payments.ChargeAnswer> {
  if (given.status !== 'succeeded' || owner.kind !== 'purchase') return given
  const { continues_license_id: license_id, user_id } = owner.cart
  const { product_id, period_end, trial_days } = owner.draft
  if (trial_days > 0) return (await hadTrial(tx, attempt)) ? { status: 'closed' } : given
  if (license_id === null) return given
  const wanted = { license_id, user_id, product_id, period_end }
  return (await lockContinued(tx, now, wanted, { paying: true })) ? { status: 'closed' } : given
}

/** Whether a trial began with this card since the attempt was made: two may be checked at once. */
async function hadTrial(
  tx: Db,
  { app_id, email_normalized, card: { fingerprint } }: payments.Attempt,
): Promise<boolean> {
  await payments.lockCardOfApp(tx, { app_id, fingerprint })
  return await billing.hadTrial(tx, { app_id, email_normalized, fingerprint })
}

/** Voids the draft invoice of an unpaid purchase, which frees its use of the discount code. */
async function voidPurchase(tx: Db, invoice_id: InvoiceId): Promise<void> {
  await discounts.restoreUse(tx, invoice_id)
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
