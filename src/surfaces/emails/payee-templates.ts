import { formatDay, formatMoney } from '#design/money'
import { isEntitled, type LicenseStatus } from '#domain/licensing'
import type { DisputeReason } from '#domain/payments'
import { DISPUTE_REASONS } from '#http/dispute-reasons'
import type { EmailTemplates } from '#platform/email-queue'
import type { Cents } from '#platform/money'
import { type EmailContent, nameOf, type Row } from './template.ts'

/** A dispute, for its emails; amounts in cents. */
export interface DisputeFacts {
  app_name: string
  product_name: string
  buyer_email: string
  /** The disputed amount with tax, and the part that the seller loses if the dispute is lost. */
  amount: Cents
  seller_amount: Cents
  cost: Cents
  reason: DisputeReason
  due_at: Date
  /** Of the license that was sold, as the email is written. */
  license_status: LicenseStatus
  /** True if the app belongs to another seller now, and support answers the dispute. */
  is_transferred: boolean
  url: string
}

function rowsOf(dispute: DisputeFacts): Row[] {
  return [
    ['Sale', nameOf(dispute)],
    ['Buyer', dispute.buyer_email],
    ['Disputed', formatMoney(dispute.amount)],
    ['Reason', DISPUTE_REASONS[dispute.reason]],
  ]
}

const NO_FUNDS = 'No funds were withdrawn'
const UNCHANGED = `${NO_FUNDS}, and the license is unchanged.`

const LICENSE_OF_DISPUTE: Partial<Record<LicenseStatus, string>> = {
  paused: ' The license is paused until the bank decides.',
  canceled: ' The license had ended before.',
}

/** What a dispute that was won means for the license, which may have ended in the meantime. */
function licenseAfter({ license_status }: DisputeFacts): string {
  if (isEntitled(license_status)) return ' The license works again, with the same key.'
  return license_status === 'canceled' ? ' The license stays ended.' : ''
}

/** What a dispute withdrew from the seller: only the fee if the payment was refunded before. */
function withdrawnAmounts({ seller_amount, cost }: DisputeFacts) {
  const fee = `${formatMoney(cost)} dispute fee`
  if (seller_amount === 0) return { what: `The ${fee}`, was: 'was', is: 'is', all: 'It is' }
  const what = `${formatMoney(seller_amount)} and the ${fee}`
  return { what, was: 'were', is: 'are', all: 'Both are' }
}

/** A dispute was opened, or the bank inquires about a charge. */
export function disputeOpened(dispute: DisputeFacts, is_inquiry: boolean): EmailContent {
  const { due_at, url } = dispute
  const name = nameOf(dispute)
  const heading = is_inquiry
    ? `Inquiry about a payment for ${name}`
    : `A payment for ${name} is disputed`
  const { what, was, all } = withdrawnAmounts(dispute)
  const withdrawn = `${what} ${was} withdrawn from your balance. ${all} returned if you win.${LICENSE_OF_DISPUTE[dispute.license_status] ?? ''}`
  const inquiry_text = `${UNCHANGED} A complete response often prevents a dispute.`
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'rows', rows: [...rowsOf(dispute), ['Respond by', formatDay(due_at)]] },
      { kind: 'text', text: is_inquiry ? inquiry_text : withdrawn },
      dispute.is_transferred
        ? {
            kind: 'link',
            label: 'Contact support',
            url,
            note: 'You sold this before the app was transferred. Send support what you know about this sale.',
          }
        : {
            kind: 'action',
            label: 'Review and submit evidence',
            url,
            note: 'We prepared evidence from the order and the use of the license.',
          },
    ],
  }
}

/** A dispute was decided. */
export function disputeClosed(dispute: DisputeFacts, outcome: 'won' | 'lost'): EmailContent {
  const heading = `You ${outcome} the dispute for ${nameOf(dispute)}`
  const { what, was, is } = withdrawnAmounts(dispute)
  const text =
    outcome === 'won'
      ? `${what} ${was} returned to your balance.${licenseAfter(dispute)}`
      : `The bank decided for the buyer. ${what} ${is} not returned. The license has ended.`
  return disputeEmail(dispute, heading, text)
}

/** The bank was satisfied with the response to its inquiry, or the payment was refunded. */
export function inquiryClosed(dispute: DisputeFacts): EmailContent {
  const heading = `The inquiry about a payment for ${nameOf(dispute)} is closed`
  const has_ended = dispute.license_status === 'canceled'
  return disputeEmail(dispute, heading, has_ended ? `${NO_FUNDS}.` : UNCHANGED)
}

function disputeEmail(dispute: DisputeFacts, heading: string, text: string): EmailContent {
  const { url } = dispute
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'rows', rows: rowsOf(dispute) },
      { kind: 'text', text },
      dispute.is_transferred
        ? { kind: 'link', label: 'Contact support', url }
        : { kind: 'link', label: 'View order', url },
    ],
  }
}

/** A refund of a sale that its seller did not make; amounts in cents. */
export interface RefundByUsFacts {
  app_name: string
  product_name: string
  buyer_email: string
  invoice_number: string
  /** The refunded amount with tax, and what it takes from the seller's balance. */
  amount: Cents
  cost: Cents
  /** As recorded; the page of the sale shows it too. */
  reason: string
  /** Whether the license has ended, as the email is written. */
  has_ended: boolean
  url: string
}

/** Staff refunded a sale, in Purser or at the payment processor. */
export function refundedByUs(refund: RefundByUsFacts): EmailContent {
  const { buyer_email, invoice_number, amount, cost, reason, has_ended, url } = refund
  const heading = `We refunded a payment for ${nameOf(refund)}`
  return {
    subject: `${heading}: ${formatMoney(amount)}`,
    heading,
    blocks: [
      {
        kind: 'rows',
        rows: [
          ['Sale', nameOf(refund)],
          ['Invoice', invoice_number],
          ['Buyer', buyer_email],
          ['Refunded, tax included', formatMoney(amount)],
          ['Deducted from your balance', formatMoney(cost)],
          ['Reason', reason],
        ],
      },
      { kind: 'text', text: `The license ${has_ended ? 'has ended' : 'is not affected'}.` },
      { kind: 'link', label: 'View sale', url },
    ],
  }
}

/** A payout, for its emails. */
export interface PayoutFacts {
  number: number
  /** The seller's legal name; null for an affiliate. */
  seller_name: string | null
  /** In cents. */
  amount: Cents
  /** `Tide Bank, account ending in 6789`, as far as known. */
  bank: string | null
  /** The processor's reason for the failure. */
  failure: string | null
  /** Whether it failed before it was sent to the bank. */
  was_refused: boolean
  url: string
}

/** A payout arrived. */
export function payoutPaid(payout: PayoutFacts): EmailContent {
  const { number, seller_name, amount, bank, url } = payout
  const lines = seller_name ? 'sale, refund and fee' : 'commission and reversal'
  const to = bank ? ` to ${bank}` : ''
  const of_seller = seller_name ? ` of ${seller_name}` : ''
  return {
    subject: subjectOf(payout),
    heading: `${formatMoney(amount)} was paid out to ${seller_name ?? 'you'}`,
    blocks: [
      { kind: 'text', text: `Payout ${number}${of_seller} was sent${to}.` },
      {
        kind: 'link',
        label: 'View statement',
        url,
        note: `Every ${lines} in this payout, also as CSV and PDF.`,
      },
    ],
  }
}

/** Names the seller, as a member of several gets the payout emails of each. */
function subjectOf({ amount, seller_name }: PayoutFacts): string {
  const subject = `Your payout of ${formatMoney(amount)}`
  return seller_name ? `${subject} to ${seller_name}` : subject
}

/** A payout was returned, or failed before it was sent. */
export function payoutFailed(payout: PayoutFacts): EmailContent {
  const { number, seller_name, amount, bank, failure, was_refused, url } = payout
  const ended = was_refused ? 'failed' : 'was returned'
  const sent = was_refused ? ' Nothing was sent to the bank.' : ''
  const [from, to] = [seller_name ? ` of ${seller_name}` : '', bank ? ` to ${bank}` : '']
  const why = failure ? ` Reason: ${failure}` : ''
  const page = seller_name ? 'Payouts' : 'Referrals'
  return {
    subject: `${subjectOf(payout)} ${ended}`,
    heading: `Your payout ${ended}`,
    blocks: [
      {
        kind: 'text',
        text: `Payout ${number}${from} for ${formatMoney(amount)}${to} ${ended}.${sent}${why}`,
      },
      {
        kind: 'text',
        text: was_refused
          ? 'The amount was added back to your balance and is part of your next payout. Check your bank account details.'
          : `The amount was added back to your balance. Change your bank account under ${page}, or confirm that its details are right. Nothing is paid out until then.`,
      },
      { kind: 'link', label: 'View payout', url },
    ],
  }
}

/** The payout bank account changed, with a link to secure the account. */
export function bankChanged(
  { bank, before }: EmailTemplates['bank_changed'],
  { seller_name, security_url }: Pick<PayoutFacts, 'seller_name'> & { security_url: string },
): EmailContent {
  const payouts = seller_name ? `payouts to ${seller_name}` : 'payouts'
  const now: Row = ['New', bank]
  return {
    subject: before
      ? 'Your bank account for payouts was changed'
      : 'A bank account for your payouts was added',
    heading: 'Was this you?',
    blocks: [
      { kind: 'text', text: `Future ${payouts} are sent to this bank account.` },
      { kind: 'rows', rows: before ? [['Previous', before], now] : [now] },
      {
        kind: 'text',
        text: 'If this was not you, set a new password now. This signs out every browser. Then add your own bank account again.',
      },
      { kind: 'action', label: 'Review your account', url: security_url },
    ],
  }
}
