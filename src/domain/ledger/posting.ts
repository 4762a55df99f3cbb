import { type Cents, cents, sum } from '#platform/money'

/** The chart of accounts. Debits are positive and credits negative. */
export type Account =
  /** Money that lies at the processor. */
  | 'processor'
  /** Tax collected and owed to a state. */
  | 'tax_payable'
  /** Owed to a seller. */
  | 'seller_payable'
  /** Owed to an affiliate, out of the service's fee. */
  | 'affiliate_payable'
  /** The service's own fee. */
  | 'fees'

/** One line: an account, whose it is, and what is debited (or credited, where negative). */
export interface Line {
  account: Account
  owner: string
  amount: Cents
}

/** One event's lines, which sum to zero. */
export interface Posting {
  event: string
  subject: string
  lines: Line[]
}

/** A cleared sale: `charged` = tax + commission + the rest of the fee + what the seller gets. */
export function sale(facts: {
  order_id: string
  seller_id: string
  state: string
  affiliate_id: string | null
  amount: Cents
  tax: Cents
  fee: Cents
  commission: Cents
}): Posting {
  const { amount, tax, fee, commission } = facts
  return posting('sale', facts.order_id, [
    debit('processor', '', sum(amount, tax)),
    credit('tax_payable', `US-${facts.state}`, tax),
    credit('affiliate_payable', facts.affiliate_id ?? '', commission),
    credit('fees', '', cents(fee - commission)),
    credit('seller_payable', facts.seller_id, cents(amount - fee)),
  ])
}

function debit(account: Account, owner: string, amount: Cents): Line {
  return { account, owner, amount }
}

function credit(account: Account, owner: string, amount: Cents): Line {
  return { account, owner, amount: cents(0 - amount) }
}

function posting(event: string, subject: string, lines: Line[]): Posting {
  const real = lines.filter((line) => line.amount !== 0)
  const balance = sum(...real.map((line) => line.amount))
  if (balance !== 0) throw new Error(`posting ${event} of ${subject} is off by ${balance} cents`)
  return { event, subject, lines: real }
}
