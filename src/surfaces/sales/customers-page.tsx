import type { JSX } from 'preact'
import { Truncated } from '#design/cells'
import { StatusBadge, statusLabel } from '#design/feedback'
import { Money, ShortDay } from '#design/money'
import { CUSTOMER_STATUSES, type Customer, type CustomerTotals } from '#domain/payments'
import type { ListFacts } from './app-list.ts'
import { AppListPage, renewalText } from './app-list-page.tsx'
import type { CustomerSearch } from './customer-search.ts'
import { ANY } from './search-form.tsx'

const COLUMNS = [
  { label: 'Paid', numeric: true },
  { label: 'Customer' },
  { label: 'Plan' },
  { label: 'Status' },
  { label: 'First purchase' },
  { label: 'Renewal' },
]

const SORTS = [
  { value: '', label: 'Newest' },
  { value: 'paid', label: 'Most paid' },
]

/** The customers of an app: one row per buyer. */
export function CustomersPage(
  facts: ListFacts<Customer, CustomerTotals, CustomerSearch>,
): JSX.Element {
  const { base, totals, search } = facts
  const statuses = CUSTOMER_STATUSES.map((value) => ({ value, label: statusLabel(value) }))
  return (
    <AppListPage
      {...facts}
      list="customers"
      intro="Buyers, with their plan and what they paid."
      choices={[
        { label: 'Status', name: 'status', options: [ANY, ...statuses] },
        { label: 'Plan', name: 'plan', options: [ANY, ...facts.plans] },
        { label: 'Sort', name: 'sort', options: SORTS },
      ]}
      nothing="Buyers appear here after a purchase."
      sums={[
        { term: 'Customers', detail: totals.count.toLocaleString('en-US') },
        { term: 'Paid, after refunds and lost disputes', detail: <Money amount={totals.paid} /> },
      ]}
      order={search.sort === 'paid' ? 'most paid' : 'newest'}
      columns={COLUMNS}
      recordOf={(each) => ({ key: each.user_id, cells: cellsOf(base, each) })}
    />
  )
}

function cellsOf(base: string, customer: Customer) {
  const { paid, email, license_id, product_name, status, first_at } = customer
  return [
    <Money amount={paid} />,
    <Truncated text={email} href={`${base}/customers/${license_id}/`} />,
    <Truncated text={product_name} />,
    <StatusBadge status={status} />,
    <ShortDay date={first_at} />,
    renewalText(customer),
  ]
}
