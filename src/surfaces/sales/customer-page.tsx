import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Stacked } from '#design/cells'
import { Badge, NoteAlert, StatusBadge } from '#design/feedback'
import { Day, formatMoney, Money } from '#design/money'
import { Pager } from '#design/navigation'
import { PageHeader } from '#design/page-header'
import { DescriptionList, Panel } from '#design/panels'
import { RecordRows, RecordTable } from '#design/records'
import { Timeline } from '#design/timeline'
import { invoiceNumber, type SellerInvoice, type TimelineEvent } from '#domain/billing'
import { isInDunning } from '#domain/licensing'
import {
  type CustomerLicense,
  cardName,
  type Dispute,
  type licensesOfCustomer,
  type Refund,
} from '#domain/payments'
import type { ActionNote } from '#http/action-note'
import { INVOICE_STATUS_LABELS } from '#http/invoice-status-labels'
import type { ListPage } from '#http/pagination'
import { eventText } from '#http/timeline-labels'
import { type Cents, cents, sum } from '#platform/money'
import type { ActionLink } from './customer-action.ts'
import { KIND_LABELS, ORIGIN_LABELS } from './labels.ts'
import { SalesLayout } from './layout.tsx'
import { DisputeRecords, Id, RefundRecords } from './records.tsx'
import type { SalesPageFacts } from './sales-context.ts'

/** The facts of a customer's page. */
export interface CustomerFacts extends SalesPageFacts {
  app_name: string
  license: CustomerLicense
  /** The other licenses of this buyer for this app. */
  others: Awaited<ReturnType<typeof licensesOfCustomer>>
  invoices: ListPage<SellerInvoice>
  refunds: (Refund & { invoice_id: SellerInvoice['id'] })[]
  disputes: Dispute[]
  /** Whether the member may open a dispute. */
  opens_disputes: boolean
  /** The latest first. */
  events: ListPage<TimelineEvent>
  /** What the member may do now. */
  actions: ActionLink[]
  /** A message about what was just done. */
  note: ActionNote | undefined
}

/** A buyer of an app: license, invoices, refunds, disputes and timeline. */
export function CustomerPage(facts: CustomerFacts): JSX.Element {
  const { license, base } = facts
  return (
    <SalesLayout
      {...facts}
      title={`${license.email} · ${facts.app_name}`}
      header={
        <PageHeader
          title={license.email}
          back={{ label: 'Customers', href: `${base}/customers/` }}
          aside={
            <span class="inline-flex flex-wrap gap-1">
              <StatusBadge status={license.status} />
              {originOf(license) !== 'purchase' && (
                <Badge>{ORIGIN_LABELS[originOf(license)]}</Badge>
              )}
            </span>
          }
        >
          {facts.app_name} {license.product_name}
        </PageHeader>
      }
    >
      <NoteAlert note={facts.note} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)]">
        <div class="grid grid-cols-1 gap-5">
          {facts.actions.length > 0 && <ActionList {...facts} />}
          <License {...facts} />
          <Invoices {...facts} />
          {facts.refunds.length > 0 && <Refunds {...facts} />}
          {facts.disputes.length > 0 && <Disputes {...facts} />}
        </div>
        <div class="grid grid-cols-1 gap-5">
          {facts.others.length > 0 && <OtherLicenses {...facts} />}
          <History {...facts} />
        </div>
      </div>
    </SalesLayout>
  )
}

const START_LABELS = { purchase: 'Bought', comp: 'Given', import: 'Imported' } as const

/** Where a license comes from; `import` also after its buyer has continued it with a card. */
function originOf({ origin, was_imported }: CustomerFacts['license']) {
  return was_imported ? 'import' : origin
}

function endLabel({ status, auto_renew }: CustomerFacts['license']): string {
  if (isInDunning(status)) return 'Due since'
  return auto_renew ? 'Renews' : 'Ends'
}

function License({ license }: CustomerFacts): JSX.Element {
  const { charged, returned, card, period_end, canceled_at, status } = license
  const money = (term: string, amount: Cents) => ({ term, detail: <Money amount={amount} /> })
  const day = (term: string, date: Date) => ({ term, detail: <Day date={date} /> })
  return (
    <Panel title="License">
      <DescriptionList
        items={[
          money('Paid, after refunds and lost disputes', cents(charged - returned)),
          money('Charged', charged),
          ...(returned > 0 ? [money('Refunded or lost in disputes', returned)] : []),
          { term: 'Plan', detail: license.product_name },
          day(START_LABELS[originOf(license)], license.created_at),
          ...(period_end && status !== 'paused' ? [day(endLabel(license), period_end)] : []),
          ...(status === 'canceled' && canceled_at ? [day('Ended', canceled_at)] : []),
          ...(card ? [{ term: 'Card', detail: cardName(card) }] : []),
          { term: 'License key', detail: 'Shown to the buyer only, on their purchase page' },
          ...(license.rotated_at ? [day('Key replaced', license.rotated_at)] : []),
          { term: 'License ID', detail: <Id>{license.license_id}</Id> },
          ...(license.order_id ? [{ term: 'Order ID', detail: <Id>{license.order_id}</Id> }] : []),
        ]}
      />
    </Panel>
  )
}

function Invoices({ invoices, base }: CustomerFacts): JSX.Element {
  const columns = [
    { label: 'Total', numeric: true },
    { label: 'Refunded', numeric: true },
    { label: 'Invoice' },
    { label: 'Status' },
  ]
  return (
    <Panel id="invoices" title="Invoices">
      {invoices.rows.length === 0 ? (
        <p class="text-sm text-muted">No invoices: nothing was charged.</p>
      ) : (
        <RecordTable
          caption="Invoices, newest first"
          columns={columns}
          rows={invoices.rows.map((invoice) => {
            const [label, tone] = INVOICE_STATUS_LABELS[invoice.status]
            return {
              key: invoice.id,
              cells: [
                <Money amount={sum(invoice.amount, invoice.tax)} />,
                <Money amount={invoice.refunded} />,
                <Stacked below={<Day date={invoice.paid_at ?? invoice.created_at} />}>
                  <TextLink href={`${base}/sales/${invoice.id}/`}>
                    {KIND_LABELS[invoice.kind]} {invoiceNumber(invoice.number)}
                  </TextLink>
                </Stacked>,
                <Badge tone={tone}>{label}</Badge>,
              ],
            }
          })}
        />
      )}
      <Pager {...invoices} label="Pages of invoices" />
    </Panel>
  )
}

function Refunds({ refunds, base }: CustomerFacts): JSX.Element {
  return (
    <Panel title="Refunds">
      <RefundRecords
        refunds={refunds}
        linkOf={({ invoice_id }) => ({ label: 'Invoice', href: `${base}/sales/${invoice_id}/` })}
      />
    </Panel>
  )
}

function Disputes({ disputes, base, opens_disputes }: CustomerFacts): JSX.Element {
  return (
    <Panel title="Disputes">
      <DisputeRecords disputes={disputes} base={base} can_open={opens_disputes} />
    </Panel>
  )
}

function ActionList({ actions }: CustomerFacts): JSX.Element {
  return (
    <Panel title="Actions">
      <Actions>
        {actions.map(({ href, label, is_final }) => (
          <Button key={href} href={href} kind={is_final ? 'danger' : 'plain'}>
            {label}
          </Button>
        ))}
      </Actions>
    </Panel>
  )
}

function OtherLicenses({ others, base }: CustomerFacts): JSX.Element {
  return (
    <Panel title="Other licenses">
      <RecordRows
        records={others.map(({ license_id, product_name, status, created_at }) => ({
          key: license_id,
          title: product_name,
          aside: <StatusBadge status={status} />,
          details: [<Day date={created_at} />],
          link: { label: 'View', href: `${base}/customers/${license_id}/` },
        }))}
      />
    </Panel>
  )
}

function History({ events, base }: CustomerFacts): JSX.Element {
  return (
    <Panel id="timeline" title="Timeline">
      <Timeline
        entries={events.rows.map((event, index) => {
          const { at, kind, status, amount, subject } = event
          const text = eventText(event)
          const isInvoice = kind === 'paid' || kind === 'declined'
          return {
            key: `${index}-${subject}`,
            at,
            title: isInvoice ? (
              <TextLink href={`${base}/sales/${subject}/`}>{text}</TextLink>
            ) : (
              text
            ),
            details: amount === null ? [] : [formatMoney(amount)],
            ...(status === null ? {} : { aside: <StatusBadge status={status} /> }),
          }
        })}
      />
      <Pager {...events} label="Pages of the timeline" />
    </Panel>
  )
}
