/** What somebody was told of a thing that he asked for; `unknown` until an answer reached him. */
export interface Asked {
  /** What it concerns: a cart, a license, a bill. */
  subject: string
  /** What he agreed to pay or to give back, in cents. */
  amount: number
  outcome: string
}

export type AskedFor = 'purchase' | 'upgrade' | 'payment' | 'refund' | 'auto_renew' | 'rotation'

/** How somebody came to a purchase, and what it cost each time they agreed to it, before tax. */
export interface Bought {
  state: string
  brought_by: 'seller' | 'service'
  affiliate_id: string | null
  prices: Set<number>
}

/**
 * Everything that people asked for and were told, apart from all that the service writes: what it
 * did is compared with it. Whoever the answer did not reach knows nothing for sure.
 */
export class AnswerRecord {
  /** By the id of the cart. */
  readonly carts = new Map<string, Bought>()
  /** What the owner of a license agreed to pay for a period of another plan. */
  readonly agreed = new Map<string, Set<number>>()
  readonly asked: Record<AskedFor, Asked[]> = {
    purchase: [],
    upgrade: [],
    payment: [],
    refund: [],
    auto_renew: [],
    rotation: [],
  }

  /** Notes what is asked for, before it is; the caller fills in the answer. */
  ask(what: AskedFor, subject: string, amount = 0): Asked {
    const asked = { subject, amount, outcome: 'unknown' }
    this.asked[what].push(asked)
    return asked
  }
}
