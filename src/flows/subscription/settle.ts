import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { EMAIL_QUEUE } from '#platform/email-queue'
import { fail } from './fail.ts'
import { pay } from './pay.ts'

/** What an attempt on a bill came to. */
export type InvoiceSettled =
  | { outcome: 'paid' }
  | { outcome: 'declined'; decline_code: payments.DeclineCode }
  | { outcome: 'action_required'; action_url: string }
  | { outcome: 'not_charged' }

/** Writes the processor's answer to an attempt on a bill. Said twice, it is written once. */
export async function settleInvoice(
  world: World,
  { id, invoice_id }: Pick<payments.InvoiceAttempt, 'id' | 'invoice_id'>,
  answer: payments.ChargeAnswer,
): Promise<InvoiceSettled> {
  const settled = await world.db.tx(async (tx) => {
    const invoice = await billing.findInvoice(tx, invoice_id)
    // The subscription before its attempt, as everybody takes them: so nobody waits in a ring.
    const subscription = await billing.lockSubscription(tx, invoice.subscription_id!)
    const attempt = await payments.lockOnInvoice(tx, id)
    if (!payments.isPending(attempt)) return toldOfInvoice(attempt)
    const app = (await apps.find(tx, invoice.app_id))!
    const now = appTime(world, app)
    await payments.record(tx, now, id, answer)
    const facts = { invoice: await billing.findInvoice(tx, invoice_id), subscription, attempt, app }
    if (answer.status === 'succeeded') {
      const { email_normalised, card } = attempt
      const payer = { email_normalised, fingerprint: card.fingerprint }
      const paid_by = { attempt_id: id, processor_charge_id: answer.charge_id }
      await pay(world, tx, now, { ...facts, payer, paid_by })
    }
    if (answer.status === 'declined') await fail(world, tx, now, facts, answer.decline_code)
    if (answer.status === 'closed') await giveUpTry(tx, now, facts)
    if (answer.status === 'refused') {
      world.log.warn({ attempt_id: id, reason: answer.reason }, 'the processor refused a charge')
      await fail(world, tx, now, facts, 'processing_error')
    }
    return toldOfInvoice({ ...attempt, ...answer } as payments.InvoiceAttempt)
  })
  world.jobs.wake(EMAIL_QUEUE)
  return settled
}

/** An attempt that never reached the bank counts for nothing: it is made again an hour later. */
async function giveUpTry(
  tx: Db,
  now: Date,
  { invoice, subscription, attempt }: Paying,
): Promise<void> {
  if (invoice.kind === 'upgrade') await billing.voidInvoice(tx, invoice.id)
  if (attempt.asked_by !== 'schedule') return
  const next_at = addSeconds(now, billing.FAULT_SECONDS)
  await billing.changeSubscription(tx, subscription, { next_at })
}

/** A bill on its way to be paid, with all that its end changes. */
export interface Paying {
  invoice: billing.Invoice
  subscription: billing.RunningSubscription
  attempt: payments.InvoiceAttempt
  app: apps.App
}

/** The outcome that an attempt's row tells. */
export function toldOfInvoice(attempt: payments.InvoiceAttempt): InvoiceSettled {
  if (attempt.status === 'succeeded') return { outcome: 'paid' }
  if (attempt.status === 'declined') {
    return { outcome: 'declined', decline_code: attempt.decline_code! }
  }
  if (attempt.status === 'action_required') {
    return { outcome: 'action_required', action_url: attempt.action_url! }
  }
  return { outcome: 'not_charged' }
}
