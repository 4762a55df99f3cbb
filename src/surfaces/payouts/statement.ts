import { formatMoney as money } from '#design/money'
import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import type { PayeeKind } from '#http/guards/payee'
import { payoutLabel } from '#http/payout-label'
import { isoDate } from '#platform/calendar'
import { csvPages } from '#platform/csv'
import { type Cents, cents } from '#platform/money'
import type { PdfContent } from '#platform/pdf/content'
import { ROWS_AT_ONCE, readInPages } from '#platform/read-in-pages'
import { causeLabel, lineLabel } from './labels.ts'
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

/** A statement as CSV, in parts. It contains no buyers. */
export function statementCsv(
  world: World,
  kind: PayeeKind,
  payout: payouts.Payout,
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
  return csvPages(columns, partsOf(world, payout))
}

/** A payout statement as a PDF. */
export async function statementPdf(
  world: World,
  kind: PayeeKind,
  payout: payouts.Payout,
): Promise<Buffer> {
  const { db, clock, config, pdfs } = world
  const count = await payouts.countStatementLines(db, payout.id)
  const { name, email } = await payouts.payeeFacts(db, payout.owner)
  const isSeller = kind === 'seller'
  const gross = payout.gross ?? payout.amount
  const { label } = payoutLabel(payout)
  const { settled_at } = payout
  const figures = (line: payouts.StatementLine) =>
    isSeller ? [money(grossOf(line)), money(feesOf(line))] : []
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
      { term: 'Status', detail: label },
      { term: 'Created', detail: isoDate(payout.created_at) },
      ...(settled_at ? [{ term: label, detail: isoDate(settled_at) }] : []),
      { term: 'Type', detail: causeLabel(payout) },
      ...(payout.bank ? [{ term: 'Bank', detail: payout.bank }] : []),
      ...(payout.failure ? [{ term: reasonTerm(payout), detail: payout.failure }] : []),
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
        ...(isSeller ? [money(gross), money(cents(payout.amount - gross))] : []),
        money(payout.amount),
      ],
    },
    notes: ['Each line is a ledger entry. Their sum is the amount of the payout.'],
    foot: `${config.operator.legal_name}, merchant of record. ${config.base_url}`,
  }
  const rows = async function* () {
    for await (const part of partsOf(world, payout)) yield part.map(rowOf)
  }
  return await pdfs.draw(content, { rows: rows(), is_long: count > ROWS_AT_ONCE })
}

function reasonTerm(payout: payouts.Payout): string {
  return payout.was_refused ? 'Reason for failure' : 'Reason for return'
}

/** The lines of a payout in parts, each read when it is needed. */
function partsOf({ db }: World, { id }: payouts.Payout): AsyncGenerator<payouts.PayoutLine[]> {
  return readInPages(
    ({ after: offset = 0, limit }) => payouts.statementOf(db, id, { offset, limit }),
    ({ line }: payouts.PayoutLine) => line,
  )
}
