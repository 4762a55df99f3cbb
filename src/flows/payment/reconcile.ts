import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import { eachInPages } from '#platform/read-in-pages'
import type { ChargeOutcome } from './charge.ts'
import { type Settled, settle, settledOf } from './settle.ts'

// An answer that is older than this was lost, not late: the processor is asked by the key.
const RECONCILE_AFTER_SECONDS = 3
// By now a charge that the processor never received must not happen.
const CLOSE_AFTER_SECONDS = 20
// How far the clocks of two machines may differ.
const CLOCK_SKEW_SECONDS = 60
// How long a buyer may take over a challenge of their bank.
const CHALLENGE_SECONDS = 15 * 60

/**
 * Finishes every attempt whose answer was lost, and then those whose buyers did not return from the
 * page of their bank.
 */
export async function reconcile(world: World): Promise<void> {
  await reconcileLost(world)
  await reconcileChallenges(world)
}

/** Finishes every attempt whose answer was lost; run at startup and every few seconds. */
export async function reconcileLost(world: World): Promise<void> {
  await reconcileAll(world, 'open')
}

/**
 * Finishes every attempt whose buyer was at the page of their bank; run at startup and every few
 * seconds, beside `reconcileLost`, because many buyers may be there for long.
 */
export async function reconcileChallenges(world: World): Promise<void> {
  await reconcileAll(world, 'action_required')
}

/** Asks for each once, so that those that fail keep none of the others waiting. */
async function reconcileAll(world: World, status: payments.PendingStatus): Promise<void> {
  const before = addSeconds(world.clock.now(), -RECONCILE_AFTER_SECONDS)
  const pending = eachInPages<payments.Attempt, payments.Attempt>(
    (page) => payments.pendingAttempts(world.db, { status, before }, page),
    (last) => last,
  )
  for await (const attempt of pending) {
    if (world.stopping.aborted) return
    try {
      await reconcileAttempt(world, attempt)
    } catch (error) {
      world.log.error({ error, attempt_id: attempt.id }, 'payment attempt not settled; will retry')
    }
  }
}

/** Asks the processor for the outcome of an attempt, and records the answer, if there is one. */
export async function reconcileAttempt(
  world: World,
  attempt: payments.Attempt,
): Promise<ChargeOutcome> {
  const answer = await findAnswer(world, attempt)
  return answer ? await settle(world, { attempt, answer }) : { outcome: 'processing' }
}

/** The outcome of the latest attempt on an invoice, for a buyer who returns or waits. */
export async function latestOutcome(world: World, invoice_id: InvoiceId): Promise<ChargeOutcome> {
  const attempt = await payments.latestAttempt(world.db, invoice_id)
  if (!attempt) return { outcome: 'not_charged' }
  return payments.isPending(attempt) ? await reconcileAttempt(world, attempt) : settledOf(attempt)
}

/**
 * Asks the processor, by the attempt's key, for its outcome. An attempt that waits too long, or
 * for an invoice that is no longer due, is closed, so that nothing can follow. Undefined while the
 * answer is not known.
 */
async function findAnswer(
  { db, processor, clock }: World,
  attempt: payments.Attempt,
): Promise<payments.ChargeAnswer | undefined> {
  const now = clock.now()
  // If the clock was set back, the buyer must not wait until it catches up.
  const isAhead = attempt.created_at > addSeconds(now, CLOCK_SKEW_SECONDS)
  const isOlder = (seconds: number) => isAhead || addSeconds(attempt.created_at, seconds) <= now
  if (attempt.status === 'open' && !isOlder(RECONCILE_AFTER_SECONDS)) return undefined
  const patience = attempt.status === 'open' ? CLOSE_AFTER_SECONDS : CHALLENGE_SECONDS
  try {
    const found = await processor.find(attempt.id)
    if (isFinal(found)) return found
    const isOver = isOlder(patience) || (found && (await isVoid(db, attempt)))
    return isOver ? await processor.close(now, attempt.id) : found
  } catch (error) {
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    return undefined
  }
}

/** Whether the invoice of an attempt was voided while the buyer is at the page of their bank. */
async function isVoid(db: Db, { invoice_id }: payments.Attempt): Promise<boolean> {
  const invoice = await billing.findInvoiceOf(db, { id: invoice_id, app_id: null })
  return invoice?.status === 'void'
}

/**
 * Closes an attempt at the request of staff. The processor's answer counts; if it gives none, the
 * attempt is closed only if staff saw at the processor that nothing was charged. Undefined while it
 * stays open.
 */
export async function closeByHand(
  world: World,
  attempt: Pick<payments.Attempt, 'id' | 'invoice_id'>,
  { nothing_charged }: { nothing_charged: boolean },
): Promise<Settled | undefined> {
  const answer = await closingAnswer(world, attempt, nothing_charged)
  return answer && (await settle(world, { attempt, answer }))
}

async function closingAnswer(
  { processor, clock, log }: World,
  { id }: Pick<payments.Attempt, 'id'>,
  nothing_charged: boolean,
): Promise<payments.ChargeAnswer | undefined> {
  try {
    const found = await processor.find(id)
    return isFinal(found) ? found : await processor.close(clock.now(), id)
  } catch (error) {
    log.warn({ error, attempt_id: id }, 'the processor did not close an attempt')
    return nothing_charged ? { status: 'closed' } : undefined
  }
}

/** Whether nothing more can follow an answer. */
function isFinal(answer: payments.ChargeAnswer | undefined): answer is payments.ChargeAnswer {
  return answer !== undefined && answer.status !== 'action_required'
}
