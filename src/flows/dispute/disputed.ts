import * as billing from '#domain/billing'
import type * as ledger from '#domain/ledger'
import type * as payments from '#domain/payments'
import type { LockedCharge } from '#flows/locked-charge'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueEmail } from '#platform/email-queue'
import { type DisputeId, mintId } from '#platform/ids'
import { cents } from '#platform/money'

/** The facts of a dispute, for the ledger. */
export function factsOf(
  dispute: payments.ReportedDispute,
  { invoice }: LockedCharge,
): ledger.DisputeFigures {
  const { id: dispute_id, amount, owed, tax } = dispute
  return {
    dispute_id,
    seller_id: invoice.seller_id,
    user_id: invoice.user_id,
    amount: cents(amount - owed - tax),
    tax,
    owed,
    cost: billing.DISPUTE_COST,
  }
}

/** Queues an email to the seller about a dispute; one per cause. */
export async function notifySeller(
  { jobs, random }: World,
  tx: Db,
  now: Date,
  email: { kind: 'dispute_opened' | 'dispute_closed'; id: DisputeId; status: string },
): Promise<void> {
  const { kind, id, status } = email
  await queueEmail(tx, now, jobs, {
    id: mintId(random, 'email'),
    cause: `${kind}:${id}:${status}`,
    kind,
    subject_id: id,
  })
}
