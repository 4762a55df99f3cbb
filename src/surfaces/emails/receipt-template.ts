import { priceText, taxLabel } from '#design/money'
import type { OrderDetails } from '#domain/billing'
import { cardName } from '#domain/payments'
import type { Locale } from '#platform/language/locale'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { type PlanFacts, waivedRow } from './buyer-templates.ts'
import { type Block, type EmailContent, nameOf, type Row } from './template.ts'
import { renewalTerms, type UpcomingCharge, upcomingText, usesCard } from './upcoming-text.ts'

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
    /** The next charge as things are now: a receipt can be sent again at any time. */
    upcoming: UpcomingCharge | undefined
    locale: Locale
  },
): EmailContent {
  const { license_key, links, sold_by, upcoming, locale } = facts
  const { t, day, money } = locale
  const product = nameOf(order)
  const card = { brand: order.card_brand, last4: order.card_last4 }
  const total = sum(order.amount, order.tax)
  const deduction = deductionOf(order, total, locale)
  return {
    subject: t('email.receipt_subject', { product }),
    heading: t(order.prepaid_until ? 'email.continued_heading' : 'email.receipt_heading', {
      product,
    }),
    blocks: [
      {
        kind: 'rows',
        total: t('email.total'),
        rows: [
          [t('email.order'), order.id],
          [t('email.date'), day(order.created_at)],
          ...pricesOf(order, locale),
          [taxLabel(order, locale), money(order.tax)],
          ...(deduction ? [deduction] : []),
          [t('email.total'), money(deduction ? ZERO : total)],
          [t('email.paid_on', { day: day(order.created_at) }), money(order.charged)],
          ...(usesCard(order.charged, upcoming)
            ? [[t('email.card'), cardName(card, locale)] satisfies Row]
            : []),
          [t('email.renewal'), renewalOf(order, upcoming, locale)],
        ],
      },
      ...renewalTerms({ app_name: order.app_name, manage_url: links.manage }, upcoming, locale),
      { kind: 'code', label: t('email.license_key'), value: license_key },
      ...accountLinks(links, locale),
      {
        kind: 'link',
        label: t('email.manage'),
        url: links.manage,
        note: t(order.frequency === null ? 'email.manage_once' : 'email.manage_receipt'),
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
  /** Whether the person can continue it with a card. */
  may_continue: boolean
  license_key: string
  links: ReceiptLinks
  locale: Locale
}): EmailContent {
  const { how, app_name, product_name, ends_at, license_key, links, locale } = facts
  const { t, day } = locale
  const product = nameOf(facts)
  const text = ends_at
    ? t(`email.${how}_text_until`, { product, day: day(ends_at) })
    : t(`email.${how}_text`, { product })
  return {
    subject: t(`email.${how}_subject`, { app: app_name, plan: product_name }),
    heading: t(`email.${how}_heading`, { app: app_name, plan: product_name }),
    blocks: [
      { kind: 'text', text },
      { kind: 'code', label: t('email.license_key'), value: license_key },
      ...(ends_at && facts.may_continue ? [continueLink(ends_at, links, locale)] : []),
      ...accountLinks(links, locale),
      planLink(links, locale),
    ],
  }
}

/** A key that the seller replaced: the new one, and that the old one no longer works. */
export function keyReplaced(facts: {
  app_name: string
  product_name: string
  license_key: string
  links: ReceiptLinks
  locale: Locale
}): EmailContent {
  const { app_name, license_key, links, locale } = facts
  const { t } = locale
  const subject = t('email.key_replaced', { product: nameOf(facts) })
  return {
    subject,
    heading: subject,
    blocks: [
      { kind: 'text', text: t('email.key_replaced_text', { app: app_name }) },
      { kind: 'code', label: t('email.license_key'), value: license_key },
      ...accountLinks(links, locale),
      planLink(links, locale),
    ],
  }
}

function planLink({ manage }: ReceiptLinks, { t }: Locale): Block {
  return { kind: 'link', label: t('email.open_plan'), url: manage, note: t('email.open_plan_note') }
}

/** How an imported license goes on after what was paid at the other service. */
function continueLink(ends_at: Date, { manage }: ReceiptLinks, { t, day }: Locale): Block {
  const note = t('email.continue_note', { day: day(ends_at) })
  return { kind: 'link', label: t('email.continue'), url: manage, note }
}

/** An imported license ends in a week, and can be continued with a card. */
export function importEnding(
  { manage_url, sold_by, locale, ...plan }: PlanFacts,
  ends_at: Date,
): EmailContent {
  const { t, day } = locale
  const facts = { product: nameOf(plan), day: day(ends_at) }
  const subject = t('email.import_ending', facts)
  return {
    subject,
    heading: subject,
    blocks: [
      { kind: 'text', text: t('email.import_ending_text', facts) },
      { kind: 'action', label: t('email.continue'), url: manage_url },
      sold_by,
    ],
  }
}

function accountLinks(links: ReceiptLinks, { t }: Locale): Block[] {
  const blocks: Block[] = []
  if (links.verify_email) {
    const note = t('email.verify_note')
    blocks.push({ kind: 'action', label: t('email.verify'), url: links.verify_email, note })
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
function pricesOf(order: OrderDetails, { t, money }: Locale): Row[] {
  const { amount, discount } = order
  const name = nameOf(order)
  if (!discount) return [[name, money(amount)]]
  return [
    [name, money(sum(amount, discount.amount))],
    [t('email.discount', { code: discount.code }), money(cents(0 - discount.amount))],
  ]
}

/** The row that deducts the whole total, as the success page does; undefined if it was charged. */
function deductionOf(order: OrderDetails, total: Cents, locale: Locale): Row | undefined {
  if (order.is_waived) return waivedRow(total, locale)
  const { t, money } = locale
  const deducted = money(cents(0 - total))
  if (order.prepaid_until) return [t('invoice.prepaid'), deducted]
  return order.trial_days > 0 && total > ZERO ? [t('invoice.trial'), deducted] : undefined
}

function renewalOf(
  order: OrderDetails,
  upcoming: UpcomingCharge | undefined,
  locale: Locale,
): string {
  const { t, day, money } = locale
  if (!upcoming) return t(order.frequency === null ? 'email.no_renewal' : 'email.no_renewal_left')
  const isFirst =
    order.license_status === 'trialing' || order.prepaid_until?.getTime() === upcoming.day.getTime()
  if (!isFirst) return upcomingText(upcoming, locale)
  const { charged, frequency, is_about } = upcoming
  // A discount may end before later charges.
  const amount =
    order.discount || frequency === null ? money(charged) : priceText(charged, frequency, locale)
  const id = is_about ? 'email.first_charge_on_about' : 'email.first_charge_on'
  return t(id, { amount, day: day(upcoming.day) })
}
