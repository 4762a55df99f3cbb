import { invoiceNumber } from '#domain/billing'
import type { Locale } from '#platform/language/locale'
import { type Cents, ZERO } from '#platform/money'
import type { EmailContent, Row } from './template.ts'

/** What a buyer repaid or need not repay of an excess, or was paid in another way. */
export interface SettlementFacts {
  amount: Cents
  /** What it is of each invoice; attached are their receipts. */
  parts: { number: number; amount: Cents }[]
  /** The page with these receipts. */
  receipts_url: string
  locale: Locale
}

/** A buyer's repayment arrived; `left` is what they still owe. */
export function excessRepaid(
  facts: SettlementFacts,
  { arrived_on, reference, left }: { arrived_on: Date; reference: string; left: Cents },
): EmailContent {
  const { t, day, money } = facts.locale
  const subject = t('email.excess_repaid', { amount: money(facts.amount) })
  return settlementEmail(
    facts,
    subject,
    t(left > ZERO ? 'email.excess_left' : 'email.excess_settled'),
    [
      [t('email.arrived_on'), day(arrived_on)],
      [t('email.reference'), reference],
      ...invoiceRows(facts),
      ...remainingRow(left, facts.locale),
    ],
  )
}

/** A buyer keeps the rest of what they received in excess. */
export function excessWaived(facts: SettlementFacts): EmailContent {
  const { t, money } = facts.locale
  const amount = money(facts.amount)
  const text = t('email.excess_waived_text', { amount })
  return settlementEmail(facts, t('email.excess_waived', { amount }), text)
}

/** A buyer was paid what they were owed, not to their card. */
export function paidOtherwise(facts: SettlementFacts): EmailContent {
  const { t, money } = facts.locale
  const subject = t('email.paid_otherwise', { amount: money(facts.amount) })
  return settlementEmail(facts, subject, t('email.paid_otherwise_text'))
}

function settlementEmail(
  facts: SettlementFacts,
  subject: string,
  text: string,
  rows: Row[] = invoiceRows(facts),
): EmailContent {
  const { receipts_url, locale } = facts
  return {
    subject,
    heading: subject,
    blocks: [
      { kind: 'rows', rows },
      { kind: 'text', text },
      { kind: 'link', label: locale.t('email.receipts'), url: receipts_url },
    ],
  }
}

function remainingRow(left: Cents, { t, money }: Locale): Row[] {
  return left > ZERO ? [[t('email.left_to_repay'), money(left)]] : []
}

function invoiceRows({ parts, locale: { t, money } }: SettlementFacts): Row[] {
  return parts.map(({ number, amount }) => [
    t('email.invoice'),
    t('email.invoice_amount', { number: invoiceNumber(number), amount: money(amount) }),
  ])
}
