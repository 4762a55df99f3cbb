import { formatDay, formatMoney } from '#design/money'
import type { DisputeReason } from '#domain/payments'
import type { EmailContent } from './template.ts'

/** How a bank's reason for a dispute reads to people. */
const REASONS: Record<DisputeReason, string> = {
  fraudulent: 'The buyer says that somebody else paid with the card',
  product_not_received: 'The buyer says that nothing was delivered',
  product_unacceptable: 'The buyer says that it is not as described',
  duplicate: 'The buyer says that it was charged twice',
  subscription_canceled: 'The buyer says that it had been canceled',
  credit_not_processed: 'The buyer says that a refund never came',
  unrecognized: 'The buyer does not recognize the charge',
  general: 'The bank names no reason',
}

/** A dispute as its emails tell it; amounts in cents. */
export interface DisputeFacts {
  app_name: string
  product_name: string
  buyer_email: string
  /** What is disputed, tax included, and what of it the seller loses if it is lost. */
  amount: number
  sellers_part: number
  cost: number
  reason: DisputeReason
  due_at: Date
  url: string
}

function rowsOf(dispute: DisputeFacts): [string, string][] {
  return [
    ['Sale', `${dispute.app_name} ${dispute.product_name}`],
    ['Buyer', dispute.buyer_email],
    ['Disputed', formatMoney(dispute.amount)],
    ['Reason', REASONS[dispute.reason]],
  ]
}

/** A buyer objected to a charge at his bank, or the bank asks about one. */
export function disputeOpened(dispute: DisputeFacts, is_inquiry: boolean): EmailContent {
  const { app_name, product_name, sellers_part, cost, due_at, url } = dispute
  const name = `${app_name} ${product_name}`
  const heading = is_inquiry
    ? `A bank asks about a payment for ${name}`
    : `A payment for ${name} is disputed`
  const held = `${formatMoney(sellers_part)} and the cost of ${formatMoney(cost)} are taken from your balance until the bank decides, and given back if it decides for you. The license is paused meanwhile.`
  const asked =
    'No money has moved, and the license stays as it is. A good answer often keeps a dispute away.'
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'rows', rows: [...rowsOf(dispute), ['Answer by', formatDay(due_at)]] },
      { kind: 'text', text: is_inquiry ? asked : held },
      {
        kind: 'link',
        label: 'Look at the evidence and send it',
        url,
        note: 'We have put together what we know of the sale and of how the license was used.',
      },
    ],
  }
}

/** The bank has decided. */
export function disputeClosed(dispute: DisputeFacts, outcome: 'won' | 'lost'): EmailContent {
  const { app_name, product_name, sellers_part, cost, url } = dispute
  const name = `${app_name} ${product_name}`
  const heading = `The dispute about ${name} is ${outcome}`
  const part = formatMoney(sellers_part)
  const text =
    outcome === 'won'
      ? `${part} and the cost of ${formatMoney(cost)} are back in your balance. The license works as before, with the same key.`
      : `The ${part} and the cost of ${formatMoney(cost)} stay with the buyer's bank. The license has ended.`
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'rows', rows: rowsOf(dispute) },
      { kind: 'text', text },
      { kind: 'link', label: 'Look at the sale', url },
    ],
  }
}

/** A payout as its emails tell it. */
export interface PayoutFacts {
  number: number
  /** In cents. */
  amount: number
  /** `Tide Bank, account ending in 6789`, as far as it is known. */
  bank: string | undefined
  /** Why it came back, in the processor's words. */
  failure: string | null
  url: string
}

/** Money arrived at a payee's bank. */
export function payoutPaid({ number, amount, bank, url }: PayoutFacts): EmailContent {
  const to = bank ? ` to ${bank}` : ''
  return {
    subject: `Your payout of ${formatMoney(amount)}`,
    heading: `${formatMoney(amount)} was paid out to you`,
    blocks: [
      { kind: 'text', text: `Payout ${number} went${to}.` },
      {
        kind: 'link',
        label: 'See the statement',
        url,
        note: 'Every sale, refund and fee behind it, also as CSV and PDF.',
      },
    ],
  }
}

/** A payout came back. */
export function payoutFailed({ number, amount, bank, failure, url }: PayoutFacts): EmailContent {
  const to = bank ? ` to ${bank}` : ''
  const why = failure ? ` The reason we were given: ${failure}` : ''
  return {
    subject: `Your payout of ${formatMoney(amount)} came back`,
    heading: 'Your payout came back',
    blocks: [
      {
        kind: 'text',
        text: `Payout ${number} of ${formatMoney(amount)}${to} did not arrive.${why}`,
      },
      {
        kind: 'text',
        text: 'The money is in your balance again, and the next payout includes it. Check the bank account that you use for payouts.',
      },
      { kind: 'link', label: 'See what happened', url },
    ],
  }
}

/** Payouts go to another bank account from now on: was this you? */
export function bankChanged(
  { bank, before }: { bank: string; before: string | undefined },
  security_url: string,
): EmailContent {
  const now: [string, string] = ['Now', bank]
  return {
    subject: before
      ? 'Your bank account for payouts was changed'
      : 'A bank account for your payouts was added',
    heading: 'Was this you?',
    blocks: [
      { kind: 'text', text: 'Your payouts go to this bank account from now on.' },
      { kind: 'rows', rows: before ? [['Before', before], now] : [now] },
      {
        kind: 'text',
        text: 'If this was not you, choose a new password at once: that signs every browser out. Then name your own bank account again.',
      },
      { kind: 'link', label: 'Look at your account', url: security_url },
    ],
  }
}
