import type { Stripe } from 'stripe'
import { DisputeClosed, type Evidence } from '#domain/payments'
import { mintId } from '#platform/ids'
import { callStripe, isRefusal, type StripeParts } from './client.ts'
import * as evidences from './evidence.ts'

// A bank accepts evidence once, so it waits to be completed, but not until the last days: an outage
// over a weekend must not lose a dispute.
const SUBMIT_BEFORE_DUE_MS = 5 * 24 * 60 * 60 * 1000

/**
 * Stores evidence at Stripe, replacing earlier evidence. Complete evidence is submitted to the bank
 * immediately, other evidence five days before its due date, by `submitDue`.
 */
export async function answerDispute(
  parts: StripeParts,
  now: Date,
  { dispute_id, evidence }: { dispute_id: string; evidence: Evidence },
): Promise<void> {
  const { stripe, db, random } = parts
  const dispute = await callStripe(() => stripe.disputes.retrieve(dispute_id))
  const { due_by, past_due } = dispute.evidence_details
  if (!isOpen(dispute) || past_due || due_by === null) throw new DisputeClosed()
  const submit_at = new Date(due_by * 1000 - SUBMIT_BEFORE_DUE_MS)
  const submit = isComplete(evidence) || submit_at <= now
  const idempotencyKey = mintId(random, 'evidence')
  // Before the request: evidence whose answer is lost is submitted, too.
  await evidences.plan(db, { dispute_id, submit_at })
  try {
    await callStripe(() =>
      stripe.disputes.update(dispute_id, { evidence: { ...evidence }, submit }, { idempotencyKey }),
    )
  } catch (error) {
    if (isRefusal(error)) throw new DisputeClosed(error.message, { cause: error })
    throw error
  }
  if (submit) await evidences.submitted(db, now, dispute_id)
}

/** Submits the evidence that is due, if Stripe has it and it was not submitted yet. */
export async function submitDue(parts: StripeParts, now: Date): Promise<void> {
  const { stripe, db, log } = parts
  for (const dispute_id of await evidences.due(db, now)) {
    const idempotencyKey = `${dispute_id}:submit`
    try {
      const { evidence_details } = await callStripe(() => stripe.disputes.retrieve(dispute_id))
      const { has_evidence, submission_count } = evidence_details
      if (has_evidence && submission_count === 0) {
        await callStripe(() =>
          stripe.disputes.update(dispute_id, { submit: true }, { idempotencyKey }),
        )
      }
    } catch (error) {
      if (!isRefusal(error)) {
        log.error({ error, dispute_id }, 'the evidence of a dispute could not be submitted yet')
        continue
      }
      log.warn({ dispute_id, reason: error.message }, 'the evidence of a dispute came too late')
    }
    await evidences.submitted(db, now, dispute_id)
  }
}

/** Evidence with the seller's own statement is complete; the service provides everything else. */
function isComplete({ uncategorized_text }: Evidence): boolean {
  return uncategorized_text !== undefined && uncategorized_text.trim() !== ''
}

function isOpen({ status }: Stripe.Dispute): boolean {
  return status === 'needs_response' || status === 'warning_needs_response'
}
