import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, Badge, NoteAlert } from '#design/feedback'
import type { Link } from '#design/layout'
import { Day, Money, taxLabel } from '#design/money'
import { DescriptionList, Mailbox, Panel } from '#design/panels'
import { RecordRows } from '#design/records'
import {
  type InvoiceLine,
  type InvoiceLineKind,
  invoiceNumber,
  type SellerInvoice,
} from '#domain/billing'
import type { Entry } from '#domain/ledger'
import type { Dispute, Refund } from '#domain/payments'
import type { PayoutOfTransaction } from '#domain/payouts'
import { INVOICE_STATUS_LABELS } from '#http/invoice-status-labels'
import { LedgerEntries } from '#http/ledger-entries'
import { payoutLabel } from '#http/payout-label'
import type { ChargeId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { KIND_LABELS } from './labels.ts'
import { SalesLayout } from './layout.tsx'
import { DisputeRecords, Id, RefundRecords } from './records.tsx'
import { SaleHeader } from './sale-header.tsx'
import type { SalesPageFacts } from './sales-context.ts'

/** The facts of an invoice's page. */
export interface InvoicePageFacts extends SalesPageFacts {
  app_name: string
  invoice: SellerInvoice
  lines: readonly InvoiceLine[]
  charge: { id: ChargeId; card: string } | undefined
  refunds: Refund[]
  /** What the buyer was paid in another way, of refunds that the card returned. */
  paid_otherwise: { amount: Cents; created_at: Date }[]
  disputes: Dispute[]
  payouts: PayoutOfTransaction[]
  entries: Entry[]
  /** Whether anything is left to refund. */
  is_refundable: boolean
  /** Why the visitor, who may refund, cannot do so now. */
  refund_obstacle: string | undefined
  opens_disputes: boolean
  /** The visitor sold it before the app was transferred, and only views it. */
  is_former: boolean
  /** Whether the earnings are the visitor's. */
  is_earner: boolean
  /** A message about what was just done. */
  note: { tone: 'success' | 'info' | 'warning'; text: string } | undefined
}

/** An invoice: amounts, refunds, disputes and ledger entries. */
export function InvoicePage(facts: InvoicePageFacts): JSX.Element {
  const { invoice } = facts
  const number = invoiceNumber(invoice.number)
  const [label, tone] = INVOICE_STATUS_LABELS[invoice.status]
  return (
    <SalesLayout
      {...facts}
      title={`${number} · ${facts.app_name}`}
      header={
        <SaleHeader
          role={facts.role}
          title={`${KIND_LABELS[invoice.kind]} ${number}`}
          back={backOf(facts)}
          aside={<Badge tone={tone}>{label}</Badge>}
        >
          {facts.app_name} {invoice.product_name}, for <Mailbox address={invoice.email} />
        </SaleHeader>
      }
    >
      <NoteAlert note={facts.note} />
      {facts.is_former && (
        <Alert tone="info">
          You sold this before you transferred {facts.app_name}. Its earnings, refunds and disputes
          are yours. To refund it, <TextLink href="/help/">contact support</TextLink>.
        </Alert>
      )}
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <Figures {...facts} />
        <div class="grid grid-cols-1 gap-5">
          <Refunds {...facts} />
          {facts.disputes.length > 0 && <Disputes {...facts} />}
          {facts.payouts.length > 0 && <Payouts {...facts} />}
        </div>
      </div>
      {facts.entries.length > 0 && <LedgerEntries entries={facts.entries} />}
    </SalesLayout>
  )
}

function backOf({ as, base, is_former }: InvoicePageFacts): Link {
  if (as === 'staff') return { label: 'Cases', href: '/admin/cases/' }
  if (is_former) return { label: 'Dashboard', href: '/dashboard/' }
  return { label: 'Sales', href: `${base}/sales/` }
}

const LINE_LABELS: Record<InvoiceLineKind, string> = {
  price: 'Plan price',
  discount: 'Discount',
  credit: 'Credit for the previous plan',
  trial: 'Free trial',
  prepaid: 'Paid at the previous provider',
}

function Figures({ invoice, lines, charge, is_earner }: InvoicePageFacts): JSX.Element {
  const pending = invoice.refund_pending
  const refunded = cents(invoice.refunded - pending)
  const money = (term: string, amount: Cents) => ({ term, detail: <Money amount={amount} /> })
  return (
    <Panel title="Invoice">
      <DescriptionList
        items={[
          { term: 'Date', detail: <Day date={invoice.paid_at ?? invoice.created_at} /> },
          ...(lines.length > 1
            ? lines.map(({ kind, amount, code }) =>
                money([LINE_LABELS[kind], code].filter(Boolean).join(' '), amount),
              )
            : []),
          money('Price', invoice.amount),
          money(taxLabel(invoice), invoice.tax),
          money('Paid by the buyer', invoice.charged),
          money('Purser’s fee', cents(invoice.fee - invoice.add_on_fee)),
          ...(invoice.add_on_fee > 0 ? [money('Hosted sign-in add-on', invoice.add_on_fee)] : []),
          money(is_earner ? 'Your earnings' : 'Seller earnings', invoice.net),
          ...(refunded > 0 ? [money('Refunded', refunded)] : []),
          ...(pending > 0 ? [money('Refund pending', pending)] : []),
          ...(invoice.dispute_deducted > 0
            ? [money('Deducted for disputes', invoice.dispute_deducted)]
            : []),
          ...(charge ? [{ term: 'Card', detail: charge.card }] : []),
          { term: 'Order ID', detail: <Id>{invoice.order_id}</Id> },
          { term: 'License ID', detail: <Id>{invoice.license_id}</Id> },
          ...(charge ? [{ term: 'Charge ID', detail: <Id>{charge.id}</Id> }] : []),
        ]}
      />
    </Panel>
  )
}

function Refunds(facts: InvoicePageFacts): JSX.Element {
  const { refunds, paid_otherwise, is_refundable, refund_obstacle, base, invoice } = facts
  return (
    <Panel title="Refunds">
      {refunds.length === 0 && <p class="text-sm text-muted">No refunds.</p>}
      {refunds.length > 0 && <RefundRecords refunds={refunds} />}
      {paid_otherwise.map(({ amount, created_at }) => (
        <p key={created_at.toISOString()} class="text-sm">
          We paid the buyer <Money amount={amount} /> in another way on <Day date={created_at} />.
        </p>
      ))}
      {refund_obstacle && <p class="text-sm text-muted">{refund_obstacle}</p>}
      {is_refundable && (
        <Actions>
          <Button href={`${base}/sales/${invoice.id}/refund`}>Refund</Button>
        </Actions>
      )}
    </Panel>
  )
}

function Disputes({ disputes, opens_disputes, base }: InvoicePageFacts): JSX.Element {
  return (
    <Panel title="Disputes">
      <DisputeRecords disputes={disputes} base={base} can_open={opens_disputes} />
    </Panel>
  )
}

function Payouts({ payouts, as }: InvoicePageFacts): JSX.Element {
  return (
    <Panel title="Payouts">
      <RecordRows
        records={payouts.map((payout) => ({
          key: payout.id,
          title: `Payout ${payout.number}`,
          details: [<Day date={payout.created_at} />, payoutLabel(payout).label],
          link:
            as === 'seller'
              ? { label: 'Statement', href: `/dashboard/payouts/${payout.id}/` }
              : undefined,
        }))}
      />
    </Panel>
  )
}
