import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { StatusBadge, statusLabel } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Money } from '#design/money'
import { Pager, SubNav } from '#design/navigation'
import { EmptyState, Heading, Panel, RecordTable, Totals, Truncated } from '#design/panels'
import { CUSTOMER_STATUSES, type Customer, type CustomerTotals } from '#domain/payments'
import { appMenu } from '#http/app-menu'
import { isoDate } from '#platform/calendar'
import type { CustomerSearch } from './customer-search.ts'
import type { SalesPageFacts } from './sales-context.ts'
import { SearchForm } from './search-form.tsx'

const COLUMNS = [
  { label: 'Paid', numeric: true },
  { label: 'Customer' },
  { label: 'Plan' },
  { label: 'Status' },
  { label: 'First purchase' },
  { label: 'Renewal' },
]

const ANY = { value: '', label: 'Any' }
const SORTS = [
  { value: '', label: 'Newest' },
  { value: 'paid', label: 'Most paid' },
]

/** The facts of the list of an app's customers. */
export interface CustomersFacts extends SalesPageFacts {
  slug: string
  app_name: string
  has_clock: boolean
  search: CustomerSearch
  plans: { value: string; label: string }[]
  customers: Customer[]
  totals: CustomerTotals
  /** The paths of the next page, and of the first page if this is not it. */
  older: string | undefined
  latest: string | undefined
}

/** The customers of an app: one row per buyer. */
export function CustomersPage(facts: CustomersFacts): JSX.Element {
  const { base, customers, totals, search } = facts
  const isFiltered = Object.values(search).some((value) => value !== '')
  const statuses = CUSTOMER_STATUSES.map((value) => ({ value, label: statusLabel(value) }))
  return (
    <SiteLayout title={`Customers · ${facts.app_name}`} notice={facts.notice}>
      <div class="grid grid-cols-1 gap-6">
        <Heading title={`${facts.app_name}: customers`}>
          Buyers, with their plan and what they paid.
        </Heading>
        <SubNav label={facts.app_name} links={appMenu(facts.slug, 'customers', facts)} />
      </div>
      <SearchForm
        path={`${base}/customers/`}
        csrf_token={facts.csrf_token}
        search={search}
        hint="A full email, license key, order, license ID or invoice number"
        choices={[
          { label: 'Status', name: 'status', options: [ANY, ...statuses] },
          { label: 'Plan', name: 'plan', options: [ANY, ...facts.plans] },
          { label: 'Sort', name: 'sort', options: SORTS },
        ]}
      />
      {customers.length === 0 ? (
        <Nothing isFiltered={isFiltered} base={base} />
      ) : (
        <Panel>
          <Totals
            items={[
              { term: 'Customers', detail: totals.count.toLocaleString('en-US') },
              { term: 'Paid, after refunds', detail: <Money amount={totals.paid} /> },
            ]}
          />
          <RecordTable
            caption={`Customers, ${search.sort === 'paid' ? 'most paid' : 'newest'} first`}
            columns={COLUMNS}
            rows={customers.map((each) => ({ key: each.user_id, cells: cellsOf(base, each) }))}
          />
        </Panel>
      )}
      <Pager newest={facts.latest} older={facts.older} />
    </SiteLayout>
  )
}

function cellsOf(base: string, customer: Customer) {
  const { paid, email, license_id, product_name, status, first_at } = customer
  return [
    <Money amount={paid} />,
    <Truncated text={email} href={`${base}/customers/${license_id}/`} />,
    <Truncated text={product_name} />,
    <StatusBadge status={status} />,
    isoDate(first_at),
    renewalText(customer),
  ]
}

/** When a license renews or ends; nothing for one without an end. */
export function renewalText({
  period_end,
  auto_renew,
}: Pick<Customer, 'period_end' | 'auto_renew'>): string {
  if (period_end === null) return ''
  return auto_renew ? isoDate(period_end) : `Ends ${isoDate(period_end)}`
}

function Nothing({ isFiltered, base }: { isFiltered: boolean; base: string }): JSX.Element {
  if (!isFiltered) {
    return <EmptyState title="No customers yet">Buyers appear here after a purchase.</EmptyState>
  }
  return (
    <EmptyState
      title="No matching customers"
      action={<Button href={`${base}/customers/`}>Show all</Button>}
    >
      No customer matches this search.
    </EmptyState>
  )
}
