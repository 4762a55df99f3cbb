import { priceText, taxLabel } from '#design/money'
import type { OrderDetails } from '#domain/billing'
import { cardName } from '#domain/payments'
import type { Locale } from '#platform/language/locale'
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
    locale: Locale
  },
): EmailContent {
  const { license_key, links, sold_by, next, locale } = facts
  const { t, day, money } = locale
  const product = `${order.app_name} ${order.product_name}`
  const card = { brand: order.card_brand, last4: order.card_last4 }
  const total = sum(order.amount, order.tax)
  return {
    subject: t('email.receipt_subject', { product }),
    heading: t('email.receipt_heading', { product }),
    blocks: [
      {
        kind: 'rows',
        rows: [
          [t('email.order'), order.id],
          [t('email.date'), day(order.created_at)],
          ...pricesOf(order, locale),
          [taxLabel(order, locale), money(order.tax)],
          [t('email.total'), money(total)],
          [t('email.paid_today'), money(order.charged)],
          [t('email.card'), cardName(card, locale)],
          [t('email.renewal'), renewalOf(order, next ?? total, locale)],
        ],
      },
      { kind: 'code', label: t('email.license_key'), value: license_key },
      ...account(links, locale),
      {
        kind: 'link',
        label: t('email.manage'),
        url: links.manage,
        note: t('email.manage_receipt'),
      },
      sold_by,
    ],
  }
}

/** A plan that a seller gave: key and next steps, and no amounts. */
export function planGiven(facts: {
  /** Whether the seller gave it, or imported what another service sold. */
  how: 'given' | 'imported'
  app_name: string
  product_name: string
  /** When it ends; null: it does not. */
  ends_at: Date | null
  license_key: string
  links: ReceiptLinks
  locale: Locale
}): EmailContent {
  const { how, app_name, product_name, ends_at, license_key, links, locale } = facts
  const { t, day } = locale
  const product = `${app_name} ${product_name}`
  const text = ends_at
    ? t(`email.${how}_text_until`, { product, day: day(ends_at) })
    : t(`email.${how}_text`, { product })
  return {
    subject: t(`email.${how}_subject`, { app: app_name, plan: product_name }),
    heading: t(`email.${how}_heading`, { app: app_name, plan: product_name }),
    blocks: [
      { kind: 'text', text },
      { kind: 'code', label: t('email.license_key'), value: license_key },
      ...account(links, locale),
      {
        kind: 'link',
        label: t('email.open_plan'),
        url: links.manage,
        note: t('email.open_plan_note'),
      },
    ],
  }
}

function account(links: ReceiptLinks, { t }: Locale): Block[] {
  const blocks: Block[] = []
  if (links.verify_email) {
    const note = t('email.verify_note')
    blocks.push({ kind: 'link', label: t('email.verify'), url: links.verify_email, note })
  }
  if (links.set_password) {
    const note = t('email.set_password_note')
    blocks.push({ kind: 'link', label: t('email.set_password'), url: links.set_password, note })
  }
  if (links.not_me) {
    const note = t('email.not_me_note')
    blocks.push({ kind: 'link', label: t('email.not_me'), url: links.not_me, note })
  }
  return blocks
}

/** The price of the plan, and its discount. */
function pricesOf(
  { app_name, product_name, amount, discount }: OrderDetails,
  { t, money }: Locale,
): [label: string, value: string][] {
  const name = `${app_name} ${product_name}`
  if (!discount) return [[name, money(amount)]]
  return [
    [name, money(sum(amount, discount.amount))],
    [t('email.discount', { code: discount.code }), money(cents(0 - discount.amount))],
  ]
}

function renewalOf(order: OrderDetails, next: Cents, locale: Locale): string {
  const { t, day, money } = locale
  if (order.frequency === null || !order.period_end) return t('email.no_renewal')
  const first = day(order.period_end)
  if (order.trial_days === 0) return t('email.amount_on', { amount: money(next), day: first })
  // A discount may end before later charges.
  const amount = order.discount ? money(next) : priceText(next, order.frequency, locale)
  return t('email.first_charge_on', { amount, day: first })
}
