import { formatDay, formatMoney, taxLabel } from '#design/money'
import * as billing from '#domain/billing'
import { cardName, statementText } from '#domain/payments'
import type { World } from '#flows/world'
import { cents, MILLION, sum } from '#platform/money'
import type { PdfContent } from '#platform/pdf/content'
import { receiptLines } from './invoice-lines.ts'

/** The invoice PDF and its file name. */
export interface InvoicePdf {
  filename: string
  pdf: Buffer
}

/** Draws the invoice PDF of a receipt; the bytes are the same until something is refunded. */
export async function invoicePdf(
  { config, pdfs }: Pick<World, 'config' | 'pdfs'>,
  receipt: billing.Receipt,
): Promise<InvoicePdf> {
  const filename = `${billing.invoiceNumber(receipt.number)}.pdf`
  return { filename, pdf: await pdfs.draw(contentOf(config, receipt)) }
}

function contentOf({ operator, base_url }: World['config'], receipt: billing.Receipt): PdfContent {
  const number = billing.invoiceNumber(receipt.number)
  const { legal_name, address, tax_id, support_email, support_url } = operator
  const { text: statement } = statementText(operator.statement_descriptor, receipt.app_name)
  return {
    issuer: legal_name,
    title: 'Receipt and invoice',
    now: receipt.given_back.at(-1)?.at ?? receipt.paid_at,
    lines: [`${number}, paid on ${formatDay(receipt.paid_at)}`],
    parties: [
      { label: 'Sold by', lines: [legal_name, ...address, `Tax ID ${tax_id}`, support_email] },
      { label: 'App by', lines: [receipt.seller_name, `Seller of ${receipt.app_name}`] },
      {
        label: 'Sold to',
        lines: [receipt.email, `${receipt.state} ${receipt.zip}, United States`],
      },
    ],
    facts: [
      { term: 'Invoice number', detail: number },
      { term: 'Date paid', detail: formatDay(receipt.paid_at) },
      { term: 'Period', detail: periodOf(receipt) },
    ],
    table: {
      columns: [
        { label: 'Description', width: 76 },
        { label: 'Amount', width: 24, numeric: true },
      ],
      rows: receiptLines(receipt),
    },
    totals: totalsOf(receipt),
    notes: [
      `Your card statement shows ${statement}.`,
      `${legal_name} is the merchant of record: it sold you this product and collects and remits sales tax.`,
      `Questions about this receipt: ${support_email} or ${support_url}`,
      `Refund policy: ${base_url}/refunds/`,
    ],
    foot: `${legal_name}, merchant of record. ${number}`,
  }
}

function periodOf({ period_start, period_end }: billing.Receipt): string {
  if (!period_end) return `From ${formatDay(period_start)} (no end date)`
  return `${formatDay(period_start)} to ${formatDay(period_end)}`
}

function totalsOf(receipt: billing.Receipt): NonNullable<PdfContent['totals']> {
  const { amount, tax, given_back } = receipt
  const total = sum(amount, tax)
  const card = cardName({ brand: receipt.card_brand, last4: receipt.card_last4 })
  const left = cents(total - billing.givenBackOf(receipt))
  return [
    { label: 'Subtotal', amount: formatMoney(amount) },
    { label: `${taxLabel(receipt)}${rateOf(receipt)}`, amount: formatMoney(tax) },
    { label: 'Total (USD)', amount: formatMoney(total), strong: true },
    ...(receipt.is_waived
      ? [{ label: 'Waived (below the minimum charge)', amount: formatMoney(cents(0 - total)) }]
      : [{ label: `Paid with ${card}`, amount: formatMoney(total) }]),
    ...given_back.map((back) => ({
      label: `Refunded on ${formatDay(back.at)}`,
      amount: formatMoney(cents(0 - back.amount)),
    })),
    ...(given_back.length > 0
      ? [{ label: 'Paid after refunds', amount: formatMoney(left), strong: true }]
      : []),
  ]
}

/** The tax rate, and the taxable part of the price if it is not all of it. */
function rateOf({ tax, rate_ppm, taxable_ppm }: billing.Receipt): string {
  if (tax === 0) return ''
  const percent = (ppm: number) => `${(ppm * 100) / MILLION}%`
  const part = taxable_ppm === MILLION ? '' : ` on ${percent(taxable_ppm)} of the price`
  return `, ${percent(rate_ppm)}${part}`
}
