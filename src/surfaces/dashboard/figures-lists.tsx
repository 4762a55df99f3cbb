import type { ComponentChildren, JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Day, Money } from '#design/money'
import { EmptyState } from '#design/panels'
import { type CardFacts, RecordCards } from '#design/records'
import { isHardDecline, type SellerInvoiceStatus } from '#domain/billing'
import type { FailedRenewal } from '#domain/metrics'
import { withQuery } from '#http/address'
import { addressOf } from '#http/app-menu'
import { INVOICE_STATUS_LABELS } from '#http/invoice-status-labels'
import { type FiguresFacts, LISTED } from './figures.ts'

/** Open disputes, failed renewals and the latest sales, each with a link. */
export function LatestLists(facts: FiguresFacts): JSX.Element {
  const { disputes, renewals, sales } = facts
  const hasInquiry = disputes.some(({ is_inquiry }) => is_inquiry)
  return (
    <>
      {disputes.length > 0 && (
        <List
          title={hasInquiry ? 'Disputes and inquiries' : 'Open disputes'}
          records={disputeCards(facts)}
          all={allOf(facts, disputes, hasInquiry ? {} : { status: 'disputed' })}
        />
      )}
      {renewals.length > 0 && (
        <List
          title="Failed renewals"
          records={renewalCards(facts)}
          all={allOf(facts, renewals, { status: 'open', kind: 'renewal' })}
        />
      )}
      {sales.length > 0 ? (
        <List title="Latest sales" records={saleCards(facts)} all={allOf(facts, sales, {})} />
      ) : (
        <EmptyState title="No sales yet">The latest sales appear here.</EmptyState>
      )}
    </>
  )
}

/** The first records, and where all of them are if there are more. */
function List(facts: { title: string; records: CardFacts[]; all: ComponentChildren }): JSX.Element {
  const { title, records, all } = facts
  return (
    <section class="grid grid-cols-1 gap-3">
      <h2 class="text-lg font-semibold">{title}</h2>
      <RecordCards records={records.slice(0, LISTED)} />
      {records.length > LISTED && <p class="text-sm text-muted">{all}</p>}
    </section>
  )
}

/** Where all records of a list are: a search of the sales of their app, if it is one app. */
function allOf(
  { names_apps }: FiguresFacts,
  [first]: readonly { app_slug: string }[],
  search: Record<string, string>,
): ComponentChildren {
  if (names_apps || !first) return 'There are more on the Sales page of each app.'
  const href = withQuery(addressOf(first.app_slug, 'sales'), search)
  return <TextLink href={href}>Show all in Sales</TextLink>
}

/** The details of a record, after the name of its app if there are several. */
function detailsOf(
  { names_apps }: FiguresFacts,
  app_name: string,
  ...details: ComponentChildren[]
): ComponentChildren[] {
  return names_apps ? [app_name, ...details] : details
}

function disputeCards(facts: FiguresFacts): CardFacts[] {
  return facts.disputes.map((dispute) => {
    const { id, invoice_id, app_slug, email, is_inquiry, due_at, submitted_at } = dispute
    const page = facts.opens_disputes ? `disputes/${id}` : `sales/${invoice_id}`
    return {
      key: id,
      href: `/dashboard/apps/${app_slug}/${page}/`,
      title: email,
      details: detailsOf(
        facts,
        dispute.app_name,
        <>
          {is_inquiry && 'Inquiry. '}
          {submitted_at ? 'Evidence submitted. Decision due after ' : 'Evidence due '}
          <Day date={due_at} />
        </>,
      ),
      aside: <Money amount={dispute.amount} />,
    }
  })
}

function renewalCards(facts: FiguresFacts): CardFacts[] {
  return facts.renewals.map((renewal) => ({
    key: renewal.id,
    href: `${addressOf(renewal.app_slug, 'sales')}${
      renewal.invoice_id ? `${renewal.invoice_id}/` : '?status=open'
    }`,
    title: renewal.email,
    details: detailsOf(
      facts,
      renewal.app_name,
      renewal.product_name,
      <>
        Failed <Day date={renewal.past_due_since} />
      </>,
      retryText(renewal),
    ),
    aside: <Money amount={renewal.amount} />,
  }))
}

function retryText({ next_at, last_decline }: FailedRenewal): ComponentChildren {
  if (!next_at) return 'Paused, not retried'
  if (isHardDecline(last_decline)) return 'Needs a new card'
  return (
    <>
      Next retry <Day date={next_at} />
    </>
  )
}

function saleCards(facts: FiguresFacts): CardFacts[] {
  return facts.sales.map(
    ({ id, app_slug, app_name, email, product_name, net, amount, paid_at }) => ({
      key: id,
      href: `${addressOf(app_slug, 'sales')}${id}/`,
      title: email,
      details: detailsOf(
        facts,
        app_name,
        product_name,
        <Day date={paid_at} />,
        ...changeOf(facts.statuses.get(id)),
        <>
          Net <Money amount={net} />
        </>,
      ),
      aside: <Money amount={amount} />,
    }),
  )
}

/** Why the net of a sale is less than it was; nothing of one that is only paid. */
function changeOf(status: SellerInvoiceStatus | undefined): string[] {
  return status === undefined || status === 'paid' ? [] : [INVOICE_STATUS_LABELS[status][0]]
}
