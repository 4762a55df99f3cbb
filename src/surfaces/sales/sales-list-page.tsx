import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Stacked, Truncated } from '#design/cells'
import { Alert, Badge } from '#design/feedback'
import { Day, Money, ShortDay } from '#design/money'
import { Pager, SubNav } from '#design/navigation'
import { EmptyState, Heading, Mailbox, Panel, Totals } from '#design/panels'
import { RecordTable } from '#design/records'
import {
  type InvoiceTotals,
  invoiceNumber,
  MAX_SUMMED,
  SELLER_INVOICE_STATUSES,
  type SellerInvoice,
} from '#domain/billing'
import type { DisputeLine } from '#domain/payments'
import { appMenu } from '#http/app-menu'
import { INVOICE_STATUS_LABELS } from '#http/invoice-status-labels'
import { type Cents, cents } from '#platform/money'
import { counted } from '#platform/text'
import type { InvoiceSearch } from './invoice-search.ts'
import { KIND_LABELS } from './labels.ts'
import { SalesLayout } from './layout.tsx'
import type { SalesPageFacts } from './sales-context.ts'
import { ANY, SearchForm } from './search-form.tsx'

const COLUMNS = [
  { label: 'Amount', numeric: true },
  { label: 'Tax', numeric: true },
  { label: 'Fee', numeric: true },
  { label: 'Net', numeric: true },
  { label: 'Invoice' },
  { label: 'Status' },
  { label: 'Date' },
  { label: 'Buyer and plan' },
]

const STATUSES = SELLER_INVOICE_STATUSES.map((value) => ({
  value,
  label: INVOICE_STATUS_LABELS[value][0],
}))
const KINDS = Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label }))

/** The invoices of an app, newest first. */
export function SalesPage(
  facts: SalesPageFacts & {
    slug: string
    app_name: string
    has_clock: boolean
    invoices: SellerInvoice[]
    disputes: DisputeLine[]
    /** Whether the visitor may open a dispute; others open its invoice. */
    opens_disputes: boolean
    search: InvoiceSearch
    /** Whether the search matches more than is listed. */
    is_cut: boolean
    /** Undefined if there are too many invoices to sum. */
    totals: InvoiceTotals | undefined
    /** The paths of the older page, and of the newest page if this is not it. */
    older: string | undefined
    newest: string | undefined
  },
): JSX.Element {
  const { base, invoices, search } = facts
  const isFiltered = Object.values(search).some((value) => value !== '')
  return (
    <SalesLayout
      {...facts}
      title={`Sales · ${facts.app_name}`}
      header={
        <div class="grid grid-cols-1 gap-6">
          <Heading title={`${facts.app_name}: sales`}>Invoices, fees and net revenue.</Heading>
          <SubNav label={facts.app_name} links={appMenu(facts.slug, 'sales', facts)} />
        </div>
      }
    >
      {facts.disputes.length > 0 && <Waiting {...facts} />}
      <SearchForm
        path={`${base}/sales/`}
        csrf_token={facts.csrf_token}
        search={search}
        is_cut={facts.is_cut}
        choices={[
          { label: 'Status', name: 'status', options: [ANY, ...STATUSES] },
          { label: 'Kind', name: 'kind', options: [ANY, ...KINDS] },
        ]}
      />
      {invoices.length === 0 ? (
        <Nothing is_filtered={isFiltered} base={base} />
      ) : (
        <Panel>
          <Sums totals={facts.totals} />
          <RecordTable
            caption="Invoices, newest first"
            columns={COLUMNS}
            rows={invoices.map((invoice) => ({ key: invoice.id, cells: cellsOf(base, invoice) }))}
          />
        </Panel>
      )}
      <Pager newest={facts.newest} older={facts.older} />
    </SalesLayout>
  )
}

function cellsOf(base: string, invoice: SellerInvoice) {
  const [label, tone] = INVOICE_STATUS_LABELS[invoice.status]
  return [
    <Money amount={invoice.amount} />,
    <Money amount={invoice.tax} />,
    <Money amount={invoice.fee} />,
    <Money amount={invoice.net} />,
    <TextLink href={`${base}/sales/${invoice.id}/`}>{invoiceNumber(invoice.number)}</TextLink>,
    <Badge tone={tone}>{label}</Badge>,
    <ShortDay date={invoice.paid_at ?? invoice.created_at} />,
    <Stacked
      below={
        <Truncated text={`${invoice.product_name}, ${KIND_LABELS[invoice.kind].toLowerCase()}`} />
      }
    >
      <Truncated text={invoice.email} href={`${base}/customers/${invoice.license_id}/`} />
    </Stacked>,
  ]
}

/** The sums of the paid invoices of the list. */
function Sums({ totals }: { totals: InvoiceTotals | undefined }): JSX.Element {
  if (!totals) {
    return (
      <p class="text-sm text-muted">
        Totals cover up to {MAX_SUMMED.toLocaleString('en-US')} invoices. Choose fewer days to see
        them.
      </p>
    )
  }
  const { count, amount, tax, fee, refunded, deducted, dispute_deducted } = totals
  const money = (term: string, of: Cents) => ({ term, detail: <Money amount={of} /> })
  return (
    <Totals
      items={[
        money('Amount, before tax', amount),
        money('Tax', tax),
        money('Fee', fee),
        money('Net, before refunds and disputes', cents(amount - fee)),
        money('Refunded, with tax', refunded),
        money('Deducted for refunds', deducted),
        ...(dispute_deducted > 0 ? [money('Deducted for disputes', dispute_deducted)] : []),
        { term: 'Invoices', detail: count.toLocaleString('en-US') },
      ]}
    />
  )
}

/** More disputes and inquiries than this are not listed above the sales. */
export const LISTED_DISPUTES = 20

/** The disputes and inquiries that need a response. */
function Waiting(facts: {
  disputes: DisputeLine[]
  opens_disputes: boolean
  base: string
}): JSX.Element {
  const { disputes, opens_disputes, base } = facts
  return (
    <Alert tone="warning" title={waitingTitle(disputes)}>
      <ul class="grid gap-1">
        {disputes.slice(0, LISTED_DISPUTES).map((dispute) => (
          <li key={dispute.id}>
            <TextLink
              href={
                opens_disputes
                  ? `${base}/disputes/${dispute.id}/`
                  : `${base}/sales/${dispute.invoice_id}/`
              }
            >
              <Money amount={dispute.amount} /> by <Mailbox address={dispute.email} />
            </TextLink>
            {dispute.status === 'inquiry' && ' (inquiry)'}
            {dispute.submitted_at ? ': evidence submitted. Decision due after ' : ': evidence due '}
            <Day date={dispute.due_at} />
          </li>
        ))}
      </ul>
      {disputes.length > LISTED_DISPUTES && (
        <p>Those due first are listed. Search by the status Disputed to see all disputes.</p>
      )}
    </Alert>
  )
}

/** An inquiry is no dispute: the bank has withdrawn nothing. */
function waitingTitle(disputes: DisputeLine[]): string {
  const inquiries = disputes.filter(({ status }) => status === 'inquiry').length
  const open = disputes.length - inquiries
  if (disputes.length > LISTED_DISPUTES) {
    const limit = counted(LISTED_DISPUTES, 'payment')
    return inquiries === 0 ? `Over ${limit} in dispute` : `Over ${limit} in dispute or inquiry`
  }
  const counts = [
    ...(open > 0 ? [`${counted(open, 'payment')} in dispute`] : []),
    ...(inquiries > 0 ? [inquiries === 1 ? '1 inquiry' : `${inquiries} inquiries`] : []),
  ]
  return counts.join(', ')
}

function Nothing({ is_filtered, base }: { is_filtered: boolean; base: string }): JSX.Element {
  if (!is_filtered) {
    return (
      <EmptyState title="No sales yet">Sales appear here, with refunds and disputes.</EmptyState>
    )
  }
  return (
    <EmptyState
      title="No matching invoices"
      action={<Button href={`${base}/sales/`}>Show all</Button>}
    >
      No invoice matches this search.
    </EmptyState>
  )
}
