import type { Stripe } from 'stripe'

/** A literal of a union that is open to others. */
type Known<Open> = Open extends string ? (string extends Open ? never : Open) : never
type Status = Known<Stripe.Dispute.Status>

/**
 * What a status of Stripe's means to the service.
 *
 * inquiry: a question, no money moved. open: the bank took the money. won, lost: decided.
 * answered: an inquiry that ended. prevented: it never took money; what went back to the buyer
 * instead is a refund, and reported as one. appeal: decided, and argued once more; the money stays
 * where it is until that ends.
 */
export type DisputeStage = 'inquiry' | 'answered' | 'open' | 'prevented' | 'won' | 'lost' | 'appeal'

// Every status of the pinned version: a new one in the library's types does not compile.
const STAGES: Record<Status, DisputeStage> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'answered',
  needs_response: 'open',
  under_review: 'open',
  prevented: 'prevented',
  won: 'won',
  lost: 'lost',
  appeal_needs_response: 'appeal',
  appeal_under_review: 'appeal',
}

/** The stage of a status; undefined for one that the pinned version does not know. */
export function stageOf(status: string): DisputeStage | undefined {
  return Object.hasOwn(STAGES, status) ? STAGES[status as Status] : undefined
}

/** Every status that is known. */
export const STATUSES = Object.keys(STAGES) as Status[]
