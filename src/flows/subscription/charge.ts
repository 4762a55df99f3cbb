import type * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { sum } from '#platform/money'
import { type InvoiceSettled, settleInvoice } from './settle.ts'

/** What became of a charge; nobody may know yet. */
export type InvoiceOutcome = InvoiceSettled | { outcome: 'processing' }

/**
 * Puts the intention to charge a bill on record, inside the caller's transaction. Undefined where
 * another try for this buyer and app is under way.
 */
export async function intend(
  { clock, random }: World,
  tx: Db,
  facts: {
    invoice: Pick<billing.Invoice, 'id' | 'app_id' | 'user_id' | 'amount' | 'tax'>
    card_id: string
    asked_by: payments.InvoiceAttempt['asked_by']
  },
): Promise<payments.InvoiceAttempt | undefined> {
  const { invoice, card_id, asked_by } = facts
  const now = clock.now()
  const { email_normalised } = (await identity.findUser(tx, invoice.user_id))!
  const attempt = {
    id: mintId(random, 'att'),
    invoice_id: invoice.id,
    asked_by,
    app_id: invoice.app_id,
    email_normalised,
    amount: sum(invoice.amount, invoice.tax),
    card: await payments.findCard(tx, card_id),
  }
  if (!(await payments.openOnInvoice(tx, now, attempt))) return undefined
  const unsettled = { status: 'open' as const, action_url: null, decline_code: null }
  return { ...attempt, ...unsettled, created_at: now }
}

/** Asks the processor for the money of an attempt, and writes its answer. */
export async function chargeInvoice(
  world: World,
  attempt: payments.InvoiceAttempt,
  facts: { app: { clock_ahead: number }; return_url: string },
): Promise<InvoiceOutcome> {
  return await settleOrWait(world, attempt, () =>
    world.processor.charge(appTime(world, facts.app), {
      key: attempt.id,
      amount: attempt.amount,
      currency: 'usd',
      card_token: attempt.card.token,
      description: `Invoice ${attempt.invoice_id}`,
      off_session: attempt.asked_by !== 'buyer',
      return_url: facts.return_url,
    }),
  )
}

/** Writes the processor's answer; where none comes, `recoverInvoices` looks for it. */
export async function settleOrWait(
  world: World,
  attempt: payments.InvoiceAttempt,
  ask: () => Promise<payments.ChargeAnswer>,
): Promise<InvoiceOutcome> {
  try {
    return await settleInvoice(world, attempt, await ask())
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    world.log.warn({ attempt_id: attempt.id }, 'the processor did not answer')
    return { outcome: 'processing' }
  }
}
