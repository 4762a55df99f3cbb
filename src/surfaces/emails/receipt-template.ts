import { formatDay, formatMoney, frequencyText, taxLabel } from '#design/money'
import type { OrderDetails } from '#domain/billing'
import { cardName } from '#domain/payments'
import { sum } from '#platform/money'
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
  facts: { license_key: string; links: ReceiptLinks; sold_by: Block },
): EmailContent {
  const { license_key, links, sold_by } = facts
  const total = sum(order.amount, order.tax)
  const isTrial = order.charged === 0
  return {
    subject: `Your receipt for ${order.app_name} ${order.product_name}`,
    heading: `Thank you for your purchase of ${order.app_name} ${order.product_name}.`,
    blocks: [
      {
        kind: 'rows',
        rows: [
          ['Order', order.id],
          ['Date', formatDay(order.created_at)],
          [`${order.app_name} ${order.product_name}`, formatMoney(order.amount)],
          [taxLabel(order), formatMoney(order.tax)],
          ['Total', formatMoney(total)],
          ['Paid today', formatMoney(order.charged)],
          ['Card', cardName({ brand: order.card_brand, last4: order.card_last4 })],
          ['Renewal', renewalOf(order, isTrial, formatMoney(total))],
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

function renewalOf(order: OrderDetails, isTrial: boolean, total: string): string {
  if (order.frequency === null || !order.period_end) return 'None (one-time payment)'
  const day = formatDay(order.period_end)
  return isTrial
    ? `${total} ${frequencyText(order.frequency)}, first charge on ${day}`
    : `${total} on ${day}`
}
