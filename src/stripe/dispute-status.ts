import type { Stripe } from 'stripe'

/** A literal of a union that is open to others. */
type Known<Open> = Open extends string ? (string extends Open ? never : Open) : never
type Status = Known<Stripe.Dispute.Status>

/**
 * The meaning of Stripe's dispute statuses. inquiry: a question, no money moved. open: the bank
 * withdrew the money. won, lost: decided. answered: an inquiry that ended. prevented: no money was
 * withdrawn; any refund is reported separately. appeal: decided and appealed; the money does not
 * move until the appeal is decided.
 */
export type DisputeStage = 'inquiry' | 'answered' | 'open' | 'prevented' | 'won' | 'lost' | 'appeal'

// Every status of the pinned API version; a new one in the library's types fails to compile.
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

/** The stage of a status; undefined if the pinned version does not have it. */
export function stageOf(status: string): DisputeStage | undefined {
  return Object.hasOwn(STAGES, status) ? STAGES[status as Status] : undefined
}

/** Every known status. */
export const STATUSES = Object.keys(STAGES) as Status[]
