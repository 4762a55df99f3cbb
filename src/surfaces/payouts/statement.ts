import { setImmediate as others } from 'node:timers/promises'
import { formatMoney as money } from '#design/money'
import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import type { PayeeKind } from '#http/guards/payee'
import { isoDate } from '#platform/calendar'
import { csvOf } from '#platform/csv'
import { type Cents, cents, sum } from '#platform/money'
import type { PdfContent } from '#platform/pdf/content'
import { causeLabel, lineLabel, payoutLabel } from './labels.ts'
import type { StatementRow } from './payout-pages.tsx'

/** The lines of a payout for the page. */
export function rowsOf(kind: PayeeKind, lines: payouts.StatementLine[]): StatementRow[] {
  return lines.map((line) => ({
    key: `${line.transaction_id}-${line.position}`,
    at: line.at,
    text: lineLabel(line),
    href:
      kind === 'seller' && line.invoice_id !== null
        ? `/dashboard/apps/${line.app_slug}/sales/${line.invoice_id}/`
        : undefined,
    gross: grossOf(line),
    fees: feesOf(line),
    amount: line.amount,
  }))
}

/** The gross amount of a line; a returned payout is its own gross amount. */
function grossOf({ gross, amount }: payouts.StatementLine): Cents {
  return gross ?? amount
}

/** The service's fees on a line: negative if charged, positive if refunded. */
function feesOf(line: payouts.StatementLine): Cents {
  return cents(line.amount - grossOf(line))
}

/** Lines per step, between which other requests can run; a longer statement is a long PDF. */
const LINES_PER_STEP = 500

/** A statement as CSV, in parts. It contains no buyers. */
export async function* statementCsv(
  kind: PayeeKind,
  payout: payouts.Payout,
  lines: payouts.StatementLine[],
): AsyncGenerator<string> {
  const columns = [
    { name: 'date', of: (line: payouts.StatementLine) => isoDate(line.at) },
    { name: 'description', of: lineLabel },
    { name: 'app', of: (line: payouts.StatementLine) => line.app_name },
    { name: 'invoice_id', of: (line: payouts.StatementLine) => line.invoice_id },
    { name: 'transaction_id', of: (line: payouts.StatementLine) => line.transaction_id },
    ...(kind === 'seller'
      ? [
          { name: 'before_fees', of: grossOf },
          { name: 'fees', of: feesOf },
        ]
      : [{ name: 'fee', of: (line: payouts.StatementLine) => line.fee }]),
    {
      name: kind === 'seller' ? 'net' : 'commission',
      of: (line: payouts.StatementLine) => line.amount,
    },
    { name: 'payout', of: () => String(payout.number) },
  ]
  yield csvOf(columns, [])
  for (const part of partsOf(lines)) {
    yield csvOf(columns, part, { header: false })
    await others()
  }
}

/** A payout statement as a PDF. */
export async function statementPdf(
  { db, clock, config, pdfs }: World,
  kind: PayeeKind,
  payout: payouts.Payout,
  lines: payouts.StatementLine[],
): Promise<Buffer> {
  const { name, email } = await payouts.payeeFacts(db, payout.owner)
  const isSeller = kind === 'seller'
  const figures = (line: payouts.StatementLine) =>
    isSeller ? [money(grossOf(line)), money(feesOf(line))] : []
  const total = (of: (line: payouts.StatementLine) => Cents) => money(sum(...lines.map(of)))
  const rowOf = (line: payouts.StatementLine) => [
    isoDate(line.at),
    lineLabel(line),
    ...figures(line),
    money(line.amount),
  ]
  const content: PdfContent = {
    title: `Payout statement ${payout.number}`,
    issuer: config.operator.legal_name,
    now: clock.now(),
    lines: [isSeller ? name : `Affiliate ${name}`, email],
    facts: [
      { term: 'Amount', detail: `${money(payout.amount)} USD` },
      { term: 'Status', detail: payoutLabel(payout).label },
      { term: 'Created', detail: isoDate(payout.created_at) },
      { term: 'Type', detail: causeLabel(payout) },
      ...(payout.bank ? [{ term: 'Bank', detail: payout.bank }] : []),
      ...(payout.failure ? [{ term: 'Reason for return', detail: payout.failure }] : []),
      { term: 'Number', detail: payout.id },
    ],
    table: {
      columns: [
        { label: 'Day', width: 14 },
        { label: 'Description', width: isSeller ? 44 : 64 },
        ...(isSeller
          ? [
              { label: 'Before fees', width: 14, numeric: true },
              { label: 'Fees', width: 14, numeric: true },
            ]
          : []),
        { label: isSeller ? 'Net' : 'Commission', width: 14, numeric: true },
      ],
      rows: [],
      total: [
        '',
        'Total',
        ...(isSeller ? [total(grossOf), total(feesOf)] : []),
        total((line) => line.amount),
      ],
    },
    notes: ['Each line is a ledger entry. Their sum is the amount of the payout.'],
    foot: `${config.operator.legal_name}, merchant of record. ${config.base_url}`,
  }
  // Created in parts, as the drawing thread requests them.
  const rows = partsOf(lines).map((part) => part.map(rowOf))
  return await pdfs.draw(content, { rows, isLong: lines.length > LINES_PER_STEP })
}

function* partsOf<Row>(rows: Row[]): Generator<Row[], undefined> {
  for (let at = 0; at < rows.length; at += LINES_PER_STEP) yield rows.slice(at, at + LINES_PER_STEP)
}
