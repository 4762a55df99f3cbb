import { formatDay, formatMoney, taxLabel } from '#design/money'
import { invoiceNumber, RETRY_DAYS, type Receipt } from '#domain/billing'
import { cardName } from '#domain/payments'
import { receiptLines } from '#http/invoice-lines'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import type { Block, EmailContent } from './template.ts'

/** A buyer's plan as emails name it, and where it is managed. */
export interface PlanFacts {
  app_name: string
  product_name: string
  manage_url: string
  /** The seller, and the statement descriptor. */
  sold_by: Block
}

/** The next charge, in cents, with its date. */
export interface Coming {
  amount: Cents
  tax: Cents
  total: Cents
  state: string
  is_about: boolean
  day: Date
}

type Row = [label: string, value: string]

const nameOf = ({ app_name, product_name }: PlanFacts) => `${app_name} ${product_name}`

function manage({ manage_url }: PlanFacts, note: string): Block {
  return { kind: 'link', label: 'Manage your purchase', url: manage_url, note }
}

/** The receipt of a renewal or a plan change. */
export function invoicePaid(
  receipt: Receipt,
  plan: PlanFacts,
  coming: Coming | undefined,
): EmailContent {
  const { kind, tax, period_end, is_waived } = receipt
  const total = sum(receipt.amount, tax)
  const name = nameOf(plan)
  const card = cardName({ brand: receipt.card_brand, last4: receipt.card_last4 })
  const rows: Row[] = [
    ['Invoice', invoiceNumber(receipt.number)],
    ['Date', formatDay(receipt.paid_at)],
    ...receiptLines(receipt),
    [taxLabel(receipt), formatMoney(tax)],
    ...(is_waived
      ? [['Waived (below the minimum charge)', formatMoney(cents(0 - total))] as Row]
      : []),
    ['Paid', formatMoney(is_waived ? ZERO : total)],
    ['Card', card],
    ['Next charge', coming ? comingOf(coming) : 'None'],
  ]
  const isPlanChange = kind === 'upgrade'
  const until = period_end ? `${name} is paid until ${formatDay(period_end)}.` : `${name} is yours.`
  return {
    subject: `Receipt ${invoiceNumber(receipt.number)} for ${name}`,
    heading: isPlanChange ? `You are now on ${name}.` : until,
    blocks: [
      { kind: 'rows', rows },
      { kind: 'text', text: 'Your license key stays the same. The receipt is attached as a PDF.' },
      manage(plan, 'Your plan, your card, your receipts and auto-renew.'),
      plan.sold_by,
    ],
  }
}

function comingOf({ total, is_about, day }: Coming): string {
  return `${is_about ? 'About ' : ''}${formatMoney(total)} on ${formatDay(day)}`
}

/** An unpaid renewal: the amount due, the reason, and the next dates. */
export interface Owed {
  total: Cents
  card: string
  /** The decline reason, as a sentence. */
  declined: string | undefined
  /** The next retry; null if only another card can pay. */
  retry_at: Date | null
  gives_up_at: Date
  /** True for the last email before the license ends. */
  is_last: boolean
}

/** A renewal was declined: the reason, the next retry, and what to do. */
export function paymentFailed(plan: PlanFacts, owed: Owed): EmailContent {
  const name = nameOf(plan)
  const next = owed.retry_at ? formatDay(owed.retry_at) : 'After you update your card'
  const first = `Your payment for ${name} failed`
  const last = `Last reminder: ${name} is not paid`
  return {
    subject: owed.is_last ? last : first,
    heading: owed.is_last
      ? `${name} ends on ${formatDay(owed.gives_up_at)} if it is not paid`
      : first,
    blocks: [
      ...(owed.declined ? [{ kind: 'text' as const, text: owed.declined }] : []),
      {
        kind: 'rows',
        rows: [
          ['Amount due', formatMoney(owed.total)],
          ['Card', owed.card],
          ['Next retry', next],
          ['Ends if not paid by', formatDay(owed.gives_up_at)],
        ],
      },
      {
        kind: 'text',
        text: 'You cannot use the license until it is paid. After payment, the same key works again.',
      },
      {
        kind: 'link',
        label: 'Update your card',
        url: plan.manage_url,
        note: 'A new card is charged immediately. You can also pay with the current card, or cancel.',
      },
    ],
  }
}

/** The buyer canceled; `ends_at` is null if the license ended immediately. */
export function subscriptionCanceled(
  plan: PlanFacts,
  { ends_at, keep_url }: { ends_at: Date | null; keep_url: string },
): EmailContent {
  const name = nameOf(plan)
  const subject = `You canceled ${name}`
  if (!ends_at) {
    const text = 'The license has ended, and its key no longer works. Nothing more is charged.'
    const link: Block = { kind: 'link', label: 'Your receipts', url: plan.manage_url }
    return { subject, heading: subject, blocks: [{ kind: 'text', text }, link, plan.sold_by] }
  }
  const day = formatDay(ends_at)
  return {
    subject,
    heading: `You canceled ${name}. It ends on ${day}.`,
    blocks: [
      {
        kind: 'text',
        text: `You can use ${name} until ${day}. Then the license ends. Nothing more is charged.`,
      },
      {
        kind: 'link',
        label: 'Keep my subscription',
        url: keep_url,
        note: `You can resume your subscription until ${day}.`,
      },
      plan.sold_by,
    ],
  }
}

/** The license ended because it was not paid. */
export function licenseEnded(plan: PlanFacts, product_url: string): EmailContent {
  const name = nameOf(plan)
  return {
    subject: `Your license for ${name} has ended`,
    heading: `Your license for ${name} has ended`,
    blocks: [
      {
        kind: 'text',
        text: `We retried your renewal payment for ${RETRY_DAYS.at(-1)} days without success. Nothing more is charged, and no amount is due.`,
      },
      { kind: 'link', label: 'Buy it again', url: product_url, note: 'You receive a new key.' },
      { kind: 'link', label: 'Your receipts', url: plan.manage_url },
    ],
  }
}

/** The seller ended a plan that they had given. */
export function givenPlanEnded(plan: PlanFacts, product_url: string): EmailContent {
  const name = nameOf(plan)
  const subject = `Your plan ${name} has ended`
  const text = `${plan.app_name} ended the plan that it gave you. Its key no longer works. Nothing is charged.`
  const link: Block = { kind: 'link', label: 'See the plans', url: product_url }
  return { subject, heading: subject, blocks: [{ kind: 'text', text }, link] }
}

/** The trial ends in three days: what is charged then, if anything. */
export function trialEnding(
  plan: PlanFacts,
  facts: { day: Date; card: string; coming: Coming | undefined; auto_renew_url: string },
): EmailContent {
  const { day, card, coming } = facts
  const name = nameOf(plan)
  const subject = `Your trial of ${name} ends on ${formatDay(day)}`
  if (!coming) {
    const text = 'Auto-renew is off, so nothing is charged. The license ends that day.'
    const label = 'Keep my subscription'
    const link: Block = { kind: 'link', label, url: facts.auto_renew_url }
    return { subject, heading: subject, blocks: [{ kind: 'text', text }, link] }
  }
  const about = coming.is_about ? 'about ' : ''
  return {
    subject,
    heading: subject,
    blocks: [
      {
        kind: 'text',
        text:
          coming.total === ZERO
            ? `Nothing is charged that day, and ${name} continues. No action is needed.`
            : `Your ${card} is charged ${about}${formatMoney(coming.total)} that day, and ${name} continues. No action is needed.`,
      },
      {
        kind: 'rows',
        rows: [
          [name, formatMoney(coming.amount)],
          [taxLabel(coming), formatMoney(coming.tax)],
          [`Charged on ${formatDay(coming.day)}`, formatMoney(coming.total)],
        ],
      },
      {
        kind: 'link',
        label: 'Cancel subscription',
        url: facts.auto_renew_url,
        note: 'Nothing is charged, and the license ends with the trial.',
      },
      manage(plan, 'Your plan, your card and your key.'),
    ],
  }
}

/** The buyer was refunded. */
export function refundIssued(
  receipt: Receipt,
  plan: PlanFacts,
  facts: { amount: Cents; has_ended: boolean },
): EmailContent {
  const name = nameOf(plan)
  const amount = formatMoney(facts.amount)
  const card = cardName({ brand: receipt.card_brand, last4: receipt.card_last4 })
  return {
    subject: `Your refund of ${amount} for ${name}`,
    heading: `We refunded ${amount}`,
    blocks: [
      {
        kind: 'rows',
        rows: [
          ['Amount', amount],
          [
            'Invoice',
            `${invoiceNumber(receipt.number)}, ${formatMoney(sum(receipt.amount, receipt.tax))}`,
          ],
          ['Refunded to', card],
        ],
      },
      {
        kind: 'text',
        text: `Your bank shows the refund within 5 to 10 days. ${
          facts.has_ended
            ? 'The license has ended, and its key no longer works.'
            : 'The license is not affected.'
        }`,
      },
      { kind: 'link', label: 'Your receipts', url: plan.manage_url },
      plan.sold_by,
    ],
  }
}
