import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Alert, Badge } from '#design/feedback'
import { Form, SelectField } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, Money } from '#design/money'
import { Pager, SubNav } from '#design/navigation'
import { EmptyState, Heading, Panel, RecordTable } from '#design/panels'
import { invoiceNumber, SALE_STATUSES, type Sale } from '#domain/billing'
import type { DisputeLine } from '#domain/payments'
import { appMenu } from '#http/app-menu'
import { isoDate } from '#platform/calendar'
import { cents } from '#platform/money'
import { counted } from '#platform/text'
import { KIND_LABELS, STATUS_LABELS } from './labels.ts'
import type { SalesPageFacts } from './sales-context.ts'

/** The filter of the list: status, kind and position. */
export interface Filter {
  status: string
  kind: string
}

const COLUMNS = [
  { label: 'Invoice' },
  { label: 'Status' },
  { label: 'Date' },
  { label: 'Buyer' },
  { label: 'Product' },
  { label: 'Amount', numeric: true },
  { label: 'Tax', numeric: true },
  { label: 'Fee', numeric: true },
  { label: 'Net', numeric: true },
]

/** The invoices of an app, newest first. */
export function SalesPage(
  facts: SalesPageFacts & {
    slug: string
    app_name: string
    has_clock: boolean
    sales: Sale[]
    disputes: DisputeLine[]
    filter: Filter
    /** The paths of the older page, and of the newest page if this is not it. */
    older: string | undefined
    latest: string | undefined
  },
): JSX.Element {
  const { base, sales, filter } = facts
  const isFiltered = filter.status !== '' || filter.kind !== ''
  return (
    <SiteLayout title={`Sales · ${facts.app_name}`} nav={facts.nav} notice={facts.notice}>
      <div class="grid grid-cols-1 gap-6">
        <div class="flex flex-wrap items-end justify-between gap-4">
          <Heading title={`${facts.app_name}: sales`}>Invoices, fees and net revenue.</Heading>
          <Form action={`${base}/sales/export`} csrf_token={facts.csrf_token}>
            <Button pending="Exporting…">Export CSV</Button>
          </Form>
        </div>
        <SubNav label={facts.app_name} links={appMenu(facts.slug, 'sales', facts)} />
      </div>
      {facts.disputes.length > 0 && <Waiting {...facts} />}
      <FilterForm base={base} filter={filter} />
      {sales.length === 0 ? (
        <Nothing isFiltered={isFiltered} base={base} />
      ) : (
        <Panel>
          <RecordTable
            caption="Invoices, newest first"
            columns={COLUMNS}
            rows={sales.map((sale) => ({ key: sale.id, cells: cellsOf(base, sale) }))}
          />
        </Panel>
      )}
      <Pager newest={facts.latest} older={facts.older} />
    </SiteLayout>
  )
}

function cellsOf(base: string, sale: Sale) {
  const [label, tone] = STATUS_LABELS[sale.status]
  return [
    <TextLink href={`${base}/sales/${sale.id}/`}>{invoiceNumber(sale.number)}</TextLink>,
    <Badge tone={tone}>{label}</Badge>,
    isoDate(sale.paid_at ?? sale.created_at),
    sale.email,
    `${sale.product_name}, ${KIND_LABELS[sale.kind].toLowerCase()}`,
    <Money amount={sale.amount} />,
    <Money amount={sale.tax} />,
    <Money amount={sale.fee} />,
    <Money amount={cents(sale.amount - sale.fee)} />,
  ]
}

/** The disputes that need a response. */
function Waiting({ disputes, base }: { disputes: DisputeLine[]; base: string }): JSX.Element {
  const title = `${counted(disputes.length, 'payment')} in dispute`
  return (
    <Alert tone="warning" title={title}>
      <ul class="grid gap-1">
        {disputes.map((dispute) => (
          <li key={dispute.id}>
            <TextLink href={`${base}/disputes/${dispute.id}/`}>
              <Money amount={dispute.amount} /> by {dispute.email}
            </TextLink>
            {dispute.submitted_at ? ': evidence submitted. Decision due after ' : ': evidence due '}
            <Day date={dispute.due_at} />
          </li>
        ))}
      </ul>
    </Alert>
  )
}

function FilterForm({ base, filter }: { base: string; filter: Filter }): JSX.Element {
  const statuses = SALE_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value][0] }))
  const kinds = Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label }))
  const any = { value: '', label: 'Any' }
  return (
    <form method="get" action={`${base}/sales/`} class="flex flex-wrap items-end gap-4">
      <SelectField
        label="Status"
        name="status"
        value={filter.status}
        options={[any, ...statuses]}
      />
      <SelectField label="Kind" name="kind" value={filter.kind} options={[any, ...kinds]} />
      <Button>Show</Button>
    </form>
  )
}

function Nothing({ isFiltered, base }: { isFiltered: boolean; base: string }): JSX.Element {
  if (!isFiltered) {
    return (
      <EmptyState title="No sales yet">Sales appear here, with refunds and disputes.</EmptyState>
    )
  }
  return (
    <EmptyState
      title="No matching invoices"
      action={<Button href={`${base}/sales/`}>Show all</Button>}
    >
      No invoice has this status and kind.
    </EmptyState>
  )
}
