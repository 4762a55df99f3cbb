import { type Cents, cents, sum } from '#platform/money'
import type { Account, LedgerEvent } from './account.ts'

/** One line: an account, its owner, and the debit (negative: credit), in cents. */
export interface Line {
  account: Account
  owner: string
  amount: Cents
}

/** The lines of one event, which sum to zero. */
export interface Posting {
  event: LedgerEvent
  subject: string
  lines: Line[]
}

/** A line on the left. */
export function debit(account: Account, owner: string, amount: Cents): Line {
  return { account, owner, amount }
}

/** A line on the right. */
export function credit(account: Account, owner: string, amount: Cents): Line {
  return { account, owner, amount: cents(0 - amount) }
}

/** The posting of an event, without its lines of zero. Throws if it does not sum to zero. */
export function posting(event: LedgerEvent, subject: string, lines: Line[]): Posting {
  const real = lines.filter((line) => line.amount !== 0)
  const balance = sum(...real.map((line) => line.amount))
  if (balance !== 0) throw new Error(`posting ${event} of ${subject} is off by ${balance} cents`)
  return { event, subject, lines: real }
}

/** The posting of an event that reverses another posting, line by line. */
export function reversalAs(event: LedgerEvent, { subject, lines }: Posting): Posting {
  const reversed = lines.map((line) => ({ ...line, amount: cents(0 - line.amount) }))
  return posting(event, subject, reversed)
}
