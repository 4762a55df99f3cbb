import { taxLabel } from '#design/money'
import { invoiceNumber, RETRY_DAYS, type Receipt } from '#domain/billing'
import { chargedOf, receiptCard, receiptLines } from '#http/invoice-lines'
import type { Locale } from '#platform/language/locale'
import { type Cents, cents, sum } from '#platform/money'
import { type Block, type EmailContent, nameOf, type Row } from './template.ts'
import { renewalTerms, type UpcomingCharge, upcomingText, usesCard } from './upcoming-text.ts'

/** A buyer's plan as emails name it, and the link to manage it. */
export interface PlanFacts {
  app_name: string
  product_name: string
  manage_url: string
  /** The seller, and the statement descriptor. */
  sold_by: Block
  locale: Locale
}

/** The link to the manage page. */
export function manageLink({ manage_url, locale: { t } }: PlanFacts, note: string): Block {
  return { kind: 'link', label: t('email.manage'), url: manage_url, note }
}

/** Deducts a total that is too small to charge. */
export function waivedRow(total: Cents, { t, money }: Locale): Row {
  return [t('email.waived'), money(cents(0 - total))]
}

/** The receipt of a renewal or a plan change. */
export function invoicePaid(
  receipt: Receipt,
  plan: PlanFacts,
  upcoming: UpcomingCharge | undefined,
): EmailContent {
  const { locale } = plan
  const { t, day, money } = locale
  const { kind, tax, period_end, is_waived } = receipt
  const total = sum(receipt.amount, tax)
  const charged = chargedOf(receipt)
  const name = nameOf(plan)
  const rows: Row[] = [
    [t('email.invoice'), invoiceNumber(receipt.number)],
    [t('email.date'), day(receipt.paid_at)],
    ...receiptLines(receipt, locale),
    [taxLabel(receipt, locale), money(tax)],
    ...(is_waived ? [waivedRow(total, locale)] : []),
    [t('email.paid'), money(charged)],
    ...(usesCard(charged, upcoming)
      ? [[t('email.card'), receiptCard(receipt, locale)] satisfies Row]
      : []),
    [t('email.next_charge'), upcoming ? upcomingText(upcoming, locale) : t('email.none')],
  ]
  const isPlanChange = kind === 'upgrade'
  const until = period_end
    ? t('email.paid_until', { product: name, day: day(period_end) })
    : t('email.is_yours', { product: name })
  return {
    subject: t('email.invoice_subject', { number: invoiceNumber(receipt.number), product: name }),
    heading: isPlanChange ? t('email.now_on', { product: name }) : until,
    blocks: [
      { kind: 'rows', rows },
      ...renewalTerms(plan, upcoming, locale),
      { kind: 'text', text: t('email.invoice_text') },
      manageLink(plan, t('email.manage_invoice')),
      plan.sold_by,
    ],
  }
}

/** An unpaid renewal: the amount due, the reason, and the next dates. */
export interface Owed {
  total: Cents
  card: string
  /** The decline reason, as a sentence. */
  declined: string | undefined
  /** Whether another card comes first; if not, the same one pays once the buyer confirms. */
  needs_other_card: boolean
  /** The next retry; null if only another card can pay. */
  retry_at: Date | null
  gives_up_at: Date
  /** True for the last email before the license ends. */
  is_last: boolean
}

/** A renewal was declined: the reason, the next retry, and what to do. */
export function paymentFailed(plan: PlanFacts, owed: Owed): EmailContent {
  const { locale } = plan
  const { t, day, money } = locale
  const name = nameOf(plan)
  const next = owed.retry_at ? day(owed.retry_at) : t('email.after_card')
  const first = t('email.failed', { product: name })
  const last = t('email.failed_last', { product: name })
  return {
    subject: owed.is_last ? last : first,
    heading: owed.is_last
      ? t('email.failed_last_heading', { product: name, day: day(owed.gives_up_at) })
      : first,
    blocks: [
      ...(owed.declined ? [{ kind: 'text' as const, text: owed.declined }] : []),
      {
        kind: 'rows',
        rows: [
          [t('email.amount_due'), money(owed.total)],
          [t('email.card'), owed.card],
          [t('email.next_retry'), next],
          [t('email.ends_if_unpaid'), day(owed.gives_up_at)],
        ],
      },
      { kind: 'text', text: t('email.failed_text') },
      {
        kind: 'action',
        label: t(owed.needs_other_card ? 'email.update_card' : 'email.pay_now'),
        url: plan.manage_url,
        note: t(owed.needs_other_card ? 'email.update_card_note' : 'email.pay_now_note'),
      },
    ],
  }
}

/** The buyer or the seller canceled; `ends_at` is null if the license ended immediately. */
export function subscriptionCanceled(
  plan: PlanFacts,
  { ends_at, keep_url, is_paying }: { ends_at: Date | null; keep_url: string; is_paying: boolean },
): EmailContent {
  const { locale } = plan
  const { t, day } = locale
  const name = nameOf(plan)
  const subject = t('email.canceled', { product: name })
  if (!ends_at) {
    const text = t('email.canceled_now')
    const link: Block = { kind: 'link', label: t('email.receipts'), url: plan.manage_url }
    return { subject, heading: subject, blocks: [{ kind: 'text', text }, link, plan.sold_by] }
  }
  const end = day(ends_at)
  return {
    subject,
    heading: t('email.canceled_heading', { product: name, day: end }),
    blocks: [
      {
        kind: 'text',
        text: is_paying
          ? t('email.canceled_paying', { product: name })
          : t('email.canceled_text', { product: name, day: end }),
      },
      {
        kind: 'link',
        label: t('email.keep'),
        url: keep_url,
        note: t('email.keep_note', { day: end }),
      },
      plan.sold_by,
    ],
  }
}

/** A link to a product page, if the app has one. */
function linkTo(url: string | undefined, text: { label: string; note?: string }): Block[] {
  return url === undefined ? [] : [{ kind: 'link', url, ...text }]
}

/** The license ended because it was not paid. */
export function licenseEnded(plan: PlanFacts, product_url: string | undefined): EmailContent {
  const { locale } = plan
  const { t } = locale
  const subject = t('email.ended', { product: nameOf(plan) })
  const [label, note] = [t('email.buy_again'), t('email.buy_again_note')]
  return {
    subject,
    heading: subject,
    blocks: [
      { kind: 'text', text: t('email.ended_text', { days: RETRY_DAYS.at(-1)! }) },
      ...linkTo(product_url, { label, note }),
      { kind: 'link', label: t('email.receipts'), url: plan.manage_url },
    ],
  }
}

/** Staff suspended the license. */
export function licenseSuspended(plan: PlanFacts): EmailContent {
  const { t } = plan.locale
  const subject = t('email.suspended', { product: nameOf(plan) })
  return {
    subject,
    heading: subject,
    blocks: [
      { kind: 'text', text: t('email.suspended_text') },
      { kind: 'link', label: t('email.manage'), url: plan.manage_url },
    ],
  }
}

/** Staff reinstated the license; `renews` if its subscription goes on. */
export function licenseReinstated(plan: PlanFacts, { renews }: { renews: boolean }): EmailContent {
  const { t } = plan.locale
  const product = nameOf(plan)
  const subject = t('email.reinstated', { product })
  const text = t('email.reinstated_text', { product })
  return {
    subject,
    heading: subject,
    blocks: [
      { kind: 'text', text: renews ? `${text} ${t('email.reinstated_charge')}` : text },
      { kind: 'link', label: t('email.manage'), url: plan.manage_url },
    ],
  }
}

/** The seller ended a plan that they had given. */
export function givenPlanEnded(
  plan: PlanFacts,
  { product_url, how }: { product_url: string | undefined; how: 'given' | 'imported' },
): EmailContent {
  const { locale } = plan
  const { t } = locale
  const name = nameOf(plan)
  const subject = t('email.given_ended', { product: name })
  const text = t(`email.${how}_ended_text`, { app: plan.app_name })
  const links = linkTo(product_url, { label: t('email.see_plans') })
  return { subject, heading: subject, blocks: [{ kind: 'text', text }, ...links] }
}

/** The bank returned a refund: the buyer is owed this amount, in cents, and chooses another way. */
export function refundReturned(
  receipt: Receipt,
  plan: PlanFacts,
  facts: { amount: Cents; help_url: string },
): EmailContent {
  const { locale } = plan
  const { t, money } = locale
  const amount = money(facts.amount)
  return {
    subject: t('email.refund_returned_subject', { amount, product: nameOf(plan) }),
    heading: t('email.refund_returned_heading', { amount }),
    blocks: [
      { kind: 'text', text: t('email.refund_returned_text') },
      {
        kind: 'rows',
        rows: [
          [t('email.amount'), amount],
          [t('email.invoice'), invoiceNumber(receipt.number)],
          [t('email.refund_returned_by'), receiptCard(receipt, locale)],
        ],
      },
      { kind: 'link', label: t('email.refund_returned_action'), url: facts.help_url },
      plan.sold_by,
    ],
  }
}

/** The buyer was refunded, or will be when their card confirms it. */
export function refundIssued(
  receipt: Receipt,
  plan: PlanFacts,
  facts: { amount: Cents; tax: Cents; is_pending: boolean; has_ended: boolean },
): EmailContent {
  const { is_pending } = facts
  const { locale } = plan
  const { t, money } = locale
  const name = nameOf(plan)
  const amount = money(facts.amount)
  const card = receiptCard(receipt, plan.locale)
  const tax: Row[] = facts.tax > 0 ? [[t('email.refunded_tax'), money(facts.tax)]] : []
  return {
    subject: t('email.refund_subject', { amount, product: name }),
    heading: t(is_pending ? 'email.refund_pending_heading' : 'email.refund_heading', { amount }),
    blocks: [
      {
        kind: 'rows',
        rows: [
          [t('email.amount'), amount],
          ...tax,
          [
            t('email.invoice'),
            t('email.invoice_amount', {
              number: invoiceNumber(receipt.number),
              amount: money(sum(receipt.amount, receipt.tax)),
            }),
          ],
          [t(is_pending ? 'email.refund_pending_to' : 'email.refunded_to'), card],
        ],
      },
      { kind: 'text', text: t(is_pending ? 'email.refund_pending' : 'email.refund_shown') },
      { kind: 'text', text: t(facts.has_ended ? 'email.refund_ended' : 'email.refund_kept') },
      { kind: 'link', label: t('email.receipts'), url: plan.manage_url },
      plan.sold_by,
    ],
  }
}
