import { taxLabel } from '#design/money'
import * as billing from '#domain/billing'
import { statementText } from '#domain/payments'
import type { World } from '#flows/world'
import type { Locale } from '#platform/language/locale'
import { type Cents, cents, MILLION, sum } from '#platform/money'
import { PAGE, PAGE_COUNT, type PdfContent } from '#platform/pdf/content'
import { chargedOf, receiptCard, receiptLines } from './invoice-lines.ts'

/** The invoice PDF and its file name. */
export interface InvoicePdf {
  filename: string
  pdf: Buffer
}

/**
 * Draws the invoice PDF of a receipt, in the language that its buyer had when it was written; the
 * bytes are the same until something is refunded or disputed.
 */
export async function invoicePdf(
  { config, pdfs, languages }: Pick<World, 'config' | 'pdfs' | 'languages'>,
  receipt: billing.Receipt,
): Promise<InvoicePdf> {
  const filename = `${billing.invoiceNumber(receipt.number)}.pdf`
  const locale = languages.named(receipt.language)
  return { filename, pdf: await pdfs.draw(contentOf(config, receipt, locale)) }
}

function contentOf(
  { operator, base_url }: World['config'],
  receipt: billing.Receipt,
  locale: Locale,
): PdfContent {
  const { t, day } = locale
  const number = billing.invoiceNumber(receipt.number)
  const { legal_name, address, tax_id, support_email, support_url } = operator
  const { text: statement } = statementText(operator.statement_descriptor, receipt.app_name)
  return {
    language: locale.language,
    test_mark: t('pdf.test_mode'),
    page_number: t('pdf.page', { page: PAGE, count: PAGE_COUNT }),
    issuer: legal_name,
    title: t('pdf.title'),
    now: receipt.refunds.at(-1)?.at ?? receipt.paid_at,
    lines: [t('pdf.paid_on', { number, day: day(receipt.paid_at) })],
    parties: [
      {
        label: t('pdf.sold_by'),
        lines: [legal_name, ...address, t('pdf.tax_id', { id: tax_id }), support_email],
      },
      {
        label: t('pdf.app_by'),
        lines: [receipt.seller_name, t('pdf.seller_of', { app: receipt.app_name })],
      },
      {
        label: t('pdf.sold_to'),
        lines: [receipt.email, t('pdf.place', { state: receipt.state, zip: receipt.zip })],
      },
    ],
    facts: [
      { term: t('pdf.invoice_number'), detail: number },
      { term: t('pdf.date_paid'), detail: day(receipt.paid_at) },
      { term: t('pdf.period'), detail: periodOf(receipt, locale) },
    ],
    table: {
      columns: [
        { label: t('pdf.description'), width: 76 },
        { label: t('pdf.amount'), width: 24, numeric: true },
      ],
      rows: receiptLines(receipt, locale),
    },
    totals: totalsOf(receipt, locale),
    notes: [
      ...(chargedOf(receipt) > 0 ? [t('pdf.statement', { statement })] : []),
      t('pdf.merchant', { merchant: legal_name }),
      t('pdf.questions', { email: support_email, url: support_url }),
      t('pdf.refund_policy', { url: `${base_url}/refunds/` }),
    ],
    foot: t('pdf.foot', { merchant: legal_name, number }),
  }
}

function periodOf({ period_start, period_end }: billing.Receipt, { t, day }: Locale): string {
  if (!period_end) return t('pdf.no_end', { start: day(period_start) })
  return t('pdf.from_to', { start: day(period_start), end: day(period_end) })
}

function paymentOf(receipt: billing.Receipt, total: Cents, locale: Locale) {
  const { t, money } = locale
  if (receipt.is_waived) return [{ label: t('pdf.waived'), amount: money(cents(0 - total)) }]
  if (chargedOf(receipt) === 0) return []
  const card = receiptCard(receipt, locale)
  return [{ label: t('pdf.paid_with', { card }), amount: money(total) }]
}

function totalsOf(receipt: billing.Receipt, locale: Locale): NonNullable<PdfContent['totals']> {
  const { t, day, money } = locale
  const { amount, tax, refunds } = receipt
  const total = sum(amount, tax)
  const { left, excess } = billing.afterRefunds(total, billing.refundedTotal(receipt))
  return [
    { label: t('pdf.subtotal'), amount: money(amount) },
    { label: taxOf(receipt, locale), amount: money(tax) },
    { label: t('pdf.total'), amount: money(total), strong: true },
    ...paymentOf(receipt, total, locale),
    ...refunds.map((refund) => ({
      label: refundLabel(refund, locale),
      amount: money(cents(0 - refund.amount)),
    })),
    ...(excess > 0 ? [{ label: t('pdf.refunded_in_excess'), amount: money(excess) }] : []),
    ...(refunds.length > 0
      ? [{ label: t('pdf.after_refunds'), amount: money(left), strong: true }]
      : []),
    ...receipt.disputed.map(({ status, amount: disputed, at }) => ({
      label: t(`pdf.dispute_${status}`, { day: day(at) }),
      amount: money(disputed),
    })),
    ...receipt.settled.map((each) => ({
      label: t(`pdf.excess_${each.how}_on`, { day: day(each.at) }),
      amount: money(each.amount),
    })),
  ]
}

function refundLabel(refund: billing.ReceiptRefund, { t, day, money }: Locale): string {
  const { at, tax, is_pending } = refund
  const how = is_pending ? 'refund_pending' : 'refunded'
  if (!tax) return t(`pdf.${how}_on`, { day: day(at) })
  return t(`pdf.${how}_with_tax`, { day: day(at), tax: money(tax) })
}

/** The tax and its rate, and the taxable part of the price if it is not all of it. */
function taxOf(receipt: billing.Receipt, locale: Locale): string {
  const { tax, rate_ppm, taxable_ppm } = receipt
  const label = taxLabel(receipt, locale)
  if (tax === 0) return label
  const percent = (ppm: number) => `${(ppm * 100) / MILLION}%`
  const rate = percent(rate_ppm)
  if (taxable_ppm === MILLION) return locale.t('pdf.rate', { label, rate })
  return locale.t('pdf.rate_of_part', { label, rate, part: percent(taxable_ppm) })
}
