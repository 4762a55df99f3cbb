import { formatDay, formatMoney } from '#design/money'
import { RETRY_DAYS } from '#domain/billing'
import { type Cents, cents } from '#platform/money'
import { type Block, type EmailContent, nameOf, type Row } from './template.ts'

/** A sale that an email to its seller is about: plan, buyer and links. */
export interface SellerFacts {
  app_name: string
  product_name: string
  buyer_email: string
  sales_url: string
  settings_url: string
}

function endOf({ sales_url, settings_url }: SellerFacts): Block[] {
  return [
    { kind: 'link', label: 'View sales', url: sales_url },
    { kind: 'link', label: 'Manage email preferences', url: settings_url },
  ]
}

/** A buyer paid, started a trial, or continues an imported license with a card. */
export function newSale(
  facts: SellerFacts,
  sale: { amount: Cents; fee: Cents; is_trial: boolean; is_continued: boolean; state: string },
): EmailContent {
  const { amount, fee, is_trial, is_continued, state } = sale
  const isLater = is_trial || is_continued
  const heading = `${headingOf(sale)} ${nameOf(facts)}`
  const priceLabel = is_trial ? 'Price after the trial' : 'Price from the first charge'
  const figures: Row[] = isLater
    ? [[priceLabel, formatMoney(amount)]]
    : [
        ['Price before tax', formatMoney(amount)],
        ['Fees', formatMoney(cents(0 - fee))],
        ['Your earnings', formatMoney(cents(amount - fee))],
      ]
  return {
    subject: isLater ? heading : `${heading}: ${formatMoney(amount)}`,
    heading,
    blocks: [
      { kind: 'rows', rows: [['Buyer', facts.buyer_email], ['State', state], ...figures] },
      ...endOf(facts),
    ],
  }
}

function headingOf({ is_trial, is_continued }: { is_trial: boolean; is_continued: boolean }) {
  if (is_continued) return 'A buyer continued the imported'
  return is_trial ? 'New trial of' : 'New sale of'
}

/** A subscription was canceled; `ends_at` is null if the license ended immediately. */
export function saleCanceled(
  facts: SellerFacts,
  { ends_at, is_trial }: { ends_at: Date | null; is_trial: boolean },
): EmailContent {
  const heading = `${nameOf(facts)} was canceled`
  const end = is_trial ? 'trial' : 'paid period'
  const when = ends_at ? `on ${formatDay(ends_at)}, at the end of the ${end}` : 'today'
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'rows', rows: [['Buyer', facts.buyer_email]] },
      { kind: 'text', text: `The license ends ${when}. Nothing more is charged.` },
      ...endOf(facts),
    ],
  }
}

/** The first decline of a renewal. */
export function renewalFailed(facts: SellerFacts, retry_at: Date | null): EmailContent {
  const heading = `A renewal of ${nameOf(facts)} failed`
  const next = retry_at
    ? `We retry the card on ${formatDay(retry_at)} and for up to ${RETRY_DAYS.at(-1)} days.`
    : 'The card cannot be charged again. We asked the buyer to update it.'
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'rows', rows: [['Buyer', facts.buyer_email]] },
      {
        kind: 'text',
        text: `${next} The license cannot be used until it is paid. We notified the buyer. No action is needed.`,
      },
      ...endOf(facts),
    ],
  }
}
