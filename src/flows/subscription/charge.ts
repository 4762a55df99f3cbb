import type * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import { type Billed, writeInvoice } from './invoice.ts'
import { pay } from './pay.ts'
import { type InvoiceSettled, settleInvoice } from './settle.ts'

/** What became of a charge; nobody may know yet. */
export type InvoiceOutcome = InvoiceSettled | { outcome: 'processing' }

/** What an invoice waits for: its charge, nothing, or another try for the same buyer and app. */
export type Intended =
  | { outcome: 'intended'; attempt: payments.InvoiceAttempt }
  | { outcome: 'waived' }
  | { outcome: 'processing' }

/** An amount that is due and less than the processor charges is waived (decided: smallest charge). */
export function isWaived({ processor }: Pick<World, 'processor'>, total: Cents): boolean {
  return total > ZERO && total < processor.smallest_charge
}

/**
 * Puts the intention to charge a subscription on record, inside the transaction of a caller who
 * holds it: for the invoice that is open, or for a new one. What is too little to be charged is
 * waived, and what it was for happens at once.
 */
export async function intend(
  world: World,
  tx: Db,
  now: Date,
  facts: {
    subscription: billing.RunningSubscription
    app: apps.App
    user_id: string
    open?: billing.Invoice | undefined
    billed?: Billed | undefined
    asked_by: payments.InvoiceAttempt['asked_by']
  },
): Promise<Intended> {
  const { subscription, app, asked_by, open } = facts
  const { email_normalised } = (await identity.findUser(tx, facts.user_id))!
  const buyer = { app_id: app.id, email_normalised }
  if (await payments.hasPending(tx, buyer)) return { outcome: 'processing' }
  const invoice = open ?? (await writeInvoice(world, tx, now, { ...facts, billed: facts.billed! }))
  const card = await payments.findCard(tx, subscription.card_id)
  const amount = sum(invoice.amount, invoice.tax)
  if (isWaived(world, amount)) {
    const payer = { email_normalised, fingerprint: card.fingerprint }
    await pay(world, tx, now, { invoice, subscription, app, payer, paid_by: 'waived' })
    return { outcome: 'waived' }
  }
  const id = mintId(world.random, 'att')
  const attempt = { id, invoice_id: invoice.id, asked_by, ...buyer, amount, card }
  const created_at = world.clock.now()
  if (!(await payments.openOnInvoice(tx, created_at, attempt))) {
    if (!open) await billing.voidInvoice(tx, invoice.id)
    return { outcome: 'processing' }
  }
  const unsettled = { status: 'open' as const, action_url: null, decline_code: null }
  return { outcome: 'intended', attempt: { ...attempt, ...unsettled, created_at } }
}

/** Asks the processor for the money of an attempt, and writes its answer. */
export async function chargeInvoice(
  world: World,
  attempt: payments.InvoiceAttempt,
  facts: { app: { clock_ahead: number; name: string }; return_url: string },
): Promise<InvoiceOutcome> {
  const { app, return_url } = facts
  const { statement_descriptor } = world.config.operator
  return await settleOrWait(world, attempt, () =>
    world.processor.charge(appTime(world, app), {
      key: attempt.id,
      amount: attempt.amount,
      currency: 'usd',
      card_token: attempt.card.token,
      description: `Invoice ${attempt.invoice_id}`,
      statement_suffix: payments.statementText(statement_descriptor, app.name).suffix,
      off_session: attempt.asked_by !== 'buyer',
      return_url,
    }),
  )
}

/** Writes the processor's answer; where none comes, `reconcileInvoices` looks for it. */
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
