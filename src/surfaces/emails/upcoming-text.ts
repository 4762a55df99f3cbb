import { priceText } from '#design/money'
import { type Card, cardExpiry, cardName } from '#domain/payments'
import type { Frequency } from '#platform/calendar'
import type { Locale } from '#platform/language/locale'
import { type Cents, ZERO } from '#platform/money'
import { type Block, nameOf } from './template.ts'

/** A discount that ends: how many charges it still applies to, and the price after them. */
export interface EndingDiscount {
  code: string
  count: number
  /** In cents, before tax. */
  full_amount: Cents
}

/** The next charge, in cents, with its date. */
export interface UpcomingCharge {
  amount: Cents
  tax: Cents
  total: Cents
  /** What the card is charged: nothing if the total is too small. */
  charged: Cents
  state: string
  is_about: boolean
  product_name: string
  /** How often it recurs; null for a charge that is paid once. */
  frequency: Frequency | null
  day: Date
  /** The card on file. */
  card: Pick<Card, 'brand' | 'last4' | 'exp_month' | 'exp_year'>
  /** Whether the charge fails unless its owner enters another card. */
  card_expires: boolean
  /** The discount on it, if later charges are without it. */
  ending: EndingDiscount | undefined
}

/** Whether a receipt names a card: it was charged, or will be. */
export function usesCard(charged: Cents, upcoming: UpcomingCharge | undefined): boolean {
  return charged > ZERO || upcoming !== undefined
}

/** A charge to come, with its day. */
export function upcomingText({ charged, is_about, day }: UpcomingCharge, locale: Locale): string {
  const id = is_about ? 'email.about_amount_on' : 'email.amount_on'
  return locale.t(id, { amount: locale.money(charged), day: locale.day(day) })
}

/** The plan that is charged: another one if its owner changes to it at the period's end. */
export function upcomingPlan(app_name: string, { product_name }: UpcomingCharge): string {
  return nameOf({ app_name, product_name })
}

/** How often a plan renews; undefined for one that is paid once. */
export function renewsText(
  app_name: string,
  upcoming: UpcomingCharge,
  { t }: Locale,
): string | undefined {
  const { frequency } = upcoming
  return frequency
    ? t(`email.renews_${frequency}`, { product: upcomingPlan(app_name, upcoming) })
    : undefined
}

/**
 * What a receipt says of the charges to come: how often the plan renews, how to cancel it, what it
 * costs after a discount, and that its card expires (decision 154).
 */
export function renewalTerms(
  { app_name, manage_url }: { app_name: string; manage_url: string },
  upcoming: UpcomingCharge | undefined,
  locale: Locale,
): Block[] {
  if (!upcoming) return []
  const renews = renewsText(app_name, upcoming, locale)
  const texts = renews ? [`${renews} ${locale.t('email.cancel_anytime')}`] : []
  const { ending, frequency } = upcoming
  if (ending && frequency) {
    const { code, count, full_amount } = ending
    const facts = { product: upcomingPlan(app_name, upcoming), code, count }
    const price = priceText(full_amount, frequency, locale)
    texts.push(locale.t('email.discount_ends', { ...facts, price }))
  }
  const terms = texts.map((text): Block => ({ kind: 'text', text }))
  return [...terms, ...cardNotice(manage_url, upcoming, locale)]
}

/** Asks for another card if the one on file expires before the next charge. */
export function cardNotice(
  manage_url: string,
  { card, card_expires }: UpcomingCharge,
  locale: Locale,
): Block[] {
  if (!card_expires) return []
  const { t } = locale
  const facts = { card: cardName(card, locale), expiry: cardExpiry(card) }
  return [
    { kind: 'text', text: t('email.card_expires', facts) },
    { kind: 'link', label: t('email.update_card'), url: manage_url },
  ]
}
