import type * as apps from '#domain/apps'
import type * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { appTime, type World } from '#flows/world'
import { mintId } from '#platform/ids'
import { type Cents, sum, ZERO } from '#platform/money'
import type { Writes } from '#platform/write-together'
import { type Answered, type KnownInvoice, type Settled, settle } from './settle.ts'

/** How an answer is recorded: see `settle` and `settleAll`. */
type RecordAnswer = (answered: Answered) => Promise<Settled>

/** The outcome of an attempt; the processor's answer may be pending. */
export type ChargeOutcome = Settled | { outcome: 'processing' }

/** A due amount below the processor's minimum is waived (decision 55). */
export function isWaived({ processor }: Pick<World, 'processor'>, total: Cents): boolean {
  return total > ZERO && total < processor.smallest_charge
}

/**
 * Opens an attempt to pay an invoice, inside the transaction of a caller who locked its owner:
 * `chargeAttempt` charges it later. Undefined while another attempt of the same buyer and app is
 * pending.
 */
export async function openAttempt(
  world: World,
  tx: Writes,
  facts: {
    invoice: Pick<billing.Invoice, 'id' | 'amount' | 'tax'>
    app: apps.App
    email_normalized: string
    card: payments.Card
    requested_by: payments.RequestedBy
  },
): Promise<payments.Attempt | undefined> {
  const { invoice, app, email_normalized, card, requested_by } = facts
  const total = sum(invoice.amount, invoice.tax)
  return await payments.openAttempt(tx, world.clock.now(), {
    id: mintId(world.random, 'att'),
    invoice_id: invoice.id,
    requested_by,
    app_id: app.id,
    email_normalized,
    // If there is nothing to charge, the processor verifies the card with a zero amount.
    amount: isWaived(world, total) ? ZERO : total,
    card,
  })
}

/** An attempt to charge, for an app. */
export interface AttemptToCharge {
  attempt: payments.Attempt
  app: { clock_ahead: number; name: string }
  return_url: string
  known?: KnownInvoice
}

/**
 * Asks the processor to charge an attempt, and records its answer, by default in a transaction of
 * its own.
 */
export async function chargeAttempt(
  world: World,
  charge: AttemptToCharge,
  record?: RecordAnswer,
): Promise<ChargeOutcome> {
  return await settleOrWait(world, charge, () => requestCharge(world, charge), record)
}

async function requestCharge(
  world: World,
  { attempt, app, return_url }: AttemptToCharge,
): Promise<payments.ChargeAnswer> {
  const { statement_descriptor } = world.config.operator
  return await world.processor.charge(appTime(world, app), {
    key: attempt.id,
    amount: attempt.amount,
    currency: 'usd',
    card_token: attempt.card.token,
    description: `Invoice ${attempt.invoice_id}`,
    statement_suffix: payments.statementText(statement_descriptor, app.name).suffix,
    off_session: attempt.requested_by !== 'buyer',
    return_url,
  })
}

/** Closes an attempt with an unfinished challenge, so that no answer can arrive later. */
export async function closeAttempt(
  world: World,
  attempt: payments.Attempt,
  { app }: { app: { clock_ahead: number } },
): Promise<ChargeOutcome> {
  return await settleOrWait(world, { attempt }, () =>
    world.processor.close(appTime(world, app), attempt.id),
  )
}

/** Records the processor's answer; if none arrives, `reconcile` asks for it later. */
async function settleOrWait(
  world: World,
  { attempt, known }: { attempt: payments.Attempt; known?: KnownInvoice | undefined },
  request: () => Promise<payments.ChargeAnswer>,
  record: RecordAnswer = (answered) => settle(world, answered),
): Promise<ChargeOutcome> {
  try {
    return await record({ attempt, known, answer: await request() })
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    world.log.warn({ attempt_id: attempt.id }, 'the processor did not answer')
    return { outcome: 'processing' }
  }
}
