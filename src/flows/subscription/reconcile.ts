import * as payments from '#domain/payments'
import { askProcessor, closeByHand, lostBefore } from '#flows/lost-answer'
import type { World } from '#flows/world'
import type { InvoiceOutcome } from './charge.ts'
import { type InvoiceSettled, settleInvoice, toldOfInvoice } from './settle.ts'

/** Finishes every attempt on a bill whose answer was lost; run at the start and every few seconds. */
export async function reconcileInvoices(world: World): Promise<void> {
  for (const attempt of await payments.pendingOnInvoices(world.db, lostBefore(world))) {
    if (world.stopping.aborted) return
    try {
      await reconcileAttempt(world, attempt)
    } catch (error) {
      world.log.error({ error, attempt_id: attempt.id }, 'a bill could not be settled yet')
    }
  }
}

/** What the latest try on a bill stands at, for a buyer who comes back or waits. */
export async function resumeInvoice(world: World, invoice_id: string): Promise<InvoiceOutcome> {
  const attempt = await payments.latestOnInvoice(world.db, invoice_id)
  if (!attempt) return { outcome: 'not_charged' }
  return payments.isPending(attempt)
    ? await reconcileAttempt(world, attempt)
    : toldOfInvoice(attempt)
}

async function reconcileAttempt(
  world: World,
  attempt: payments.InvoiceAttempt,
): Promise<InvoiceOutcome> {
  const answer = await askProcessor(world, attempt)
  return answer ? await settleInvoice(world, attempt, answer) : { outcome: 'processing' }
}

/** Closes an attempt on an invoice by hand; undefined while the processor gives no answer. */
export async function closeInvoiceAttempt(
  world: World,
  attempt: { id: string; invoice_id: string },
  facts: { nothing_charged: boolean },
): Promise<InvoiceSettled | undefined> {
  const answer = await closeByHand(world, { id: attempt.id, ...facts })
  return answer && (await settleInvoice(world, attempt, answer))
}
