import type { AffiliateId } from '#platform/ids'

/** The answer that a person got to a request; `unknown` until it arrived. */
export interface RecordedRequest {
  /** What it concerns: a cart, a license, an invoice. */
  subject: string
  /** What they agreed to pay or to refund, in cents. */
  amount: number
  outcome: string
  /** Whether an earlier request about the same had no answer yet: either may be processed first. */
  is_parallel: boolean
}

export type AskedFor = 'purchase' | 'upgrade' | 'payment' | 'refund' | 'auto_renew' | 'rotation'

/** How a buyer came to a purchase, and what it cost each time they agreed to it, before tax. */
export interface Bought {
  state: string
  brought_by: 'seller' | 'service'
  affiliate_id: AffiliateId | null
  prices: Set<number>
}

/**
 * Every request of a person with its answer, apart from all that the service writes: what it did
 * is compared with it. Where an answer was lost, the outcome is unknown.
 */
export class AnswerRecord {
  /** By the id of the cart. */
  readonly carts = new Map<string, Bought>()
  /** What the owner of a license agreed to pay for a period of another plan. */
  readonly agreed = new Map<string, Set<number>>()
  readonly requests: Record<AskedFor, RecordedRequest[]> = {
    purchase: [],
    upgrade: [],
    payment: [],
    refund: [],
    auto_renew: [],
    rotation: [],
  }

  /** Notes what is asked for, before it is; the caller fills in the answer. */
  ask(what: AskedFor, subject: string, amount = 0): RecordedRequest {
    const is_parallel = this.requests[what].some(
      (each) => each.subject === subject && each.outcome === 'unknown',
    )
    const requests = { subject, amount, outcome: 'unknown', is_parallel }
    this.requests[what].push(requests)
    return requests
  }
}
