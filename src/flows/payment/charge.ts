import type * as apps from '#domain/apps'
import type * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import { pay } from './pay.ts'
import { type Settled, settle } from './settle.ts'

/** The outcome of an attempt; the processor's answer may be pending. */
export type ChargeOutcome = Settled | { outcome: 'processing' }

/** What an invoice waits for: its charge, nothing, or another attempt of the same buyer and app. */
export type Intended =
  | { outcome: 'intended'; attempt: payments.Attempt }
  | { outcome: 'waived' }
  | { outcome: 'processing' }

/** A due amount below the processor's minimum is waived (decided: smallest charge). */
export function isWaived({ processor }: Pick<World, 'processor'>, total: Cents): boolean {
  return total > ZERO && total < processor.smallest_charge
}

/**
 * Records the intention to charge an invoice, inside the transaction of a caller who locked its
 * owner. An amount that is too small to be charged is waived and settled at once.
 */
export async function intend(
  world: World,
  tx: Db,
  now: Date,
  facts: {
    invoice: Pick<billing.Invoice, 'id' | 'amount' | 'tax'>
    app: apps.App
    email_normalized: string
    card: payments.Card
    asked_by: payments.AskedBy
  },
): Promise<Intended> {
  const { invoice, app, email_normalized, card, asked_by } = facts
  const invoice_id = invoice.id
  const amount = sum(invoice.amount, invoice.tax)
  if (isWaived(world, amount)) {
    const payer = { email_normalized, card }
    await pay(world, tx, now, { invoice_id, app, payer, paid_by: 'waived' })
    return { outcome: 'waived' }
  }
  const id = mintId(world.random, 'att')
  const attempt = { id, invoice_id, asked_by, app_id: app.id, email_normalized, amount, card }
  const opened = await payments.openAttempt(tx, world.clock.now(), attempt)
  return opened ? { outcome: 'intended', attempt: opened } : { outcome: 'processing' }
}

/** Asks the processor to charge an attempt, and records its answer. */
export async function chargeAttempt(
  world: World,
  attempt: payments.Attempt,
  facts: { app: { clock_ahead: number; name: string }; return_url: string },
): Promise<ChargeOutcome> {
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

/** Closes an attempt whose challenge was left unanswered, so that its answer cannot arrive late. */
export async function closeAttempt(
  world: World,
  attempt: payments.Attempt,
  { app }: { app: { clock_ahead: number } },
): Promise<ChargeOutcome> {
  return await settleOrWait(world, attempt, () =>
    world.processor.close(appTime(world, app), attempt.id),
  )
}

/** Records the processor's answer; if none arrives, `reconcile` asks for it later. */
async function settleOrWait(
  world: World,
  attempt: payments.Attempt,
  ask: () => Promise<payments.ChargeAnswer>,
): Promise<ChargeOutcome> {
  try {
    return await settle(world, attempt, await ask())
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    world.log.warn({ attempt_id: attempt.id }, 'the processor did not answer')
    return { outcome: 'processing' }
  }
}
