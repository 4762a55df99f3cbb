/** What somebody was told of a thing that he asked for; `unknown` until an answer reached him. */
export interface Asked {
  /** What it concerns: a cart, a license, a bill. */
  subject: string
  /** What he agreed to pay or to give back, in cents. */
  amount: number
  outcome: string
}

export type AskedFor = 'purchase' | 'upgrade' | 'payment' | 'refund' | 'auto_renew' | 'rotation'

/**
 * Everything that people asked for and were told, apart from all that the service writes: what it
 * did is compared with it. Whoever the answer did not reach is a witness of nothing.
 */
export class Witness {
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
