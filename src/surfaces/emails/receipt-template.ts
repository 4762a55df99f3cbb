import { formatDay, formatMoney, frequencyText, taxLabel } from '#design/money'
import type { OrderDetails } from '#domain/billing'
import { cardName } from '#domain/payments'
import { type Cents, cents, sum } from '#platform/money'
import type { Block, EmailContent } from './template.ts'

/** The links of a receipt; `set_password` and `not_me` only for a new account. */
export interface ReceiptLinks {
  verify_email: string | undefined
  set_password: string | undefined
  not_me: string | undefined
  manage: string
}

/** The receipt: product, amounts, key and next steps (spec: Events). */
export function receipt(
  order: OrderDetails,
  facts: {
    license_key: string
    links: ReceiptLinks
    sold_by: Block
    /** The total of the next charge; undefined: as much as this period costs. */
    next: Cents | undefined
  },
): EmailContent {
  const { license_key, links, sold_by, next } = facts
  const total = sum(order.amount, order.tax)
  return {
    subject: `Your receipt for ${order.app_name} ${order.product_name}`,
    heading: `Thank you for your purchase of ${order.app_name} ${order.product_name}.`,
    blocks: [
      {
        kind: 'rows',
        rows: [
          ['Order', order.id],
          ['Date', formatDay(order.created_at)],
          ...pricesOf(order),
          [taxLabel(order), formatMoney(order.tax)],
          ['Total', formatMoney(total)],
          ['Paid today', formatMoney(order.charged)],
          ['Card', cardName({ brand: order.card_brand, last4: order.card_last4 })],
          ['Renewal', renewalOf(order, next ?? total)],
        ],
      },
      { kind: 'code', label: 'Your license key', value: license_key },
      ...account(links),
      {
        kind: 'link',
        label: 'Manage your purchase',
        url: links.manage,
        note: 'Your plan, your license key and auto-renew.',
      },
      sold_by,
    ],
  }
}

/** A plan that a seller gave: key and next steps, and no amounts. */
export function planGiven(facts: {
  app_name: string
  product_name: string
  /** When it ends; null: it does not. */
  ends_at: Date | null
  license_key: string
  links: ReceiptLinks
}): EmailContent {
  const { app_name, product_name, ends_at, license_key, links } = facts
  const name = `${app_name} ${product_name}`
  const end = ends_at ? `It ends on ${formatDay(ends_at)}, and you can buy it then.` : ''
  return {
    subject: `${app_name} gave you ${product_name}`,
    heading: `${app_name} gave you the plan ${product_name}.`,
    blocks: [
      { kind: 'text', text: `You can use ${name} now. Nothing is charged. ${end}`.trim() },
      { kind: 'code', label: 'Your license key', value: license_key },
      ...account(links),
      {
        kind: 'link',
        label: 'Open your plan',
        url: links.manage,
        note: 'Your plan and your license key.',
      },
    ],
  }
}

function account(links: ReceiptLinks): Block[] {
  const blocks: Block[] = []
  if (links.verify_email) {
    const note = 'Confirms that this email is yours and lets you see all your purchases.'
    blocks.push({ kind: 'link', label: 'Confirm your email', url: links.verify_email, note })
  }
  if (links.set_password) {
    const note = 'We created an account for you. Set a password to sign in to it.'
    blocks.push({ kind: 'link', label: 'Set a password', url: links.set_password, note })
  }
  if (links.not_me) {
    const note = 'Locks the account while we review the purchase.'
    blocks.push({ kind: 'link', label: 'This was not me', url: links.not_me, note })
  }
  return blocks
}

/** The price of the plan, and its discount. */
function pricesOf({
  app_name,
  product_name,
  amount,
  discount,
}: OrderDetails): [label: string, value: string][] {
  const name = `${app_name} ${product_name}`
  if (!discount) return [[name, formatMoney(amount)]]
  return [
    [name, formatMoney(sum(amount, discount.amount))],
    [`Discount ${discount.code}`, formatMoney(cents(0 - discount.amount))],
  ]
}

function renewalOf(order: OrderDetails, next: Cents): string {
  if (order.frequency === null || !order.period_end) return 'None (one-time payment)'
  const [total, day] = [formatMoney(next), formatDay(order.period_end)]
  if (order.trial_days === 0) return `${total} on ${day}`
  // A discount may end before later charges.
  const often = order.discount ? '' : ` ${frequencyText(order.frequency)}`
  return `${total}${often}, first charge on ${day}`
}
