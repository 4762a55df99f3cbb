import * as billing from '#domain/billing'
import type * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { advanceDunning } from './dunning.ts'

/** An attempt on a subscription's invoice that charged nothing. */
interface Unpaid {
  invoice: billing.Invoice
  subscription: billing.RunningSubscription
  license: Pick<licensing.PausableLicense, 'paused_for'>
  attempt: Pick<payments.Attempt, 'requested_by' | 'card'>
  answer: Extract<payments.ChargeAnswer, { status: 'declined' | 'refused' | 'closed' }>
}

/**
 * Cancels an upgrade that was not paid, and moves a renewal along the dunning schedule. While the
 * buyer pauses, nothing is owed: the first period after the pause is invoiced when it is paid for,
 * at the plan and the address of that day.
 */
export async function recordUnpaid(world: World, tx: Db, now: Date, unpaid: Unpaid): Promise<void> {
  const { invoice, subscription, license, attempt, answer } = unpaid
  const isOptional = invoice.kind === 'upgrade' || license.paused_for === 'buyer'
  if (isOptional) await billing.voidInvoice(tx, invoice.id)
  const isScheduled = attempt.requested_by === 'schedule'
  if (answer.status === 'closed') {
    // It never reached the bank, so it does not count as a retry. It is repeated an hour later.
    const next_at = addSeconds(now, billing.FAULT_SECONDS)
    if (isScheduled) await billing.changeSubscription(tx, subscription, { next_at })
    return
  }
  if (invoice.kind === 'upgrade') return
  if (await isReplaced(tx, subscription, attempt)) {
    // The card on file was not declined: it is charged at once, and no retry is used up.
    if (isScheduled) await billing.changeSubscription(tx, subscription, { next_at: now })
    return
  }
  const last_decline = answer.status === 'declined' ? answer.decline_code : 'processing_error'
  if (isScheduled) await advanceDunning(world, tx, now, subscription, last_decline)
  else await billing.changeSubscription(tx, subscription, { last_decline })
}

/** Whether the buyer has replaced the card of an attempt since it was made. */
async function isReplaced(
  tx: Db,
  { card_id }: billing.Subscription,
  { card }: Unpaid['attempt'],
): Promise<boolean> {
  return (await payments.getCard(tx, card_id)).token !== card.token
}
