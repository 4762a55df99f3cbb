import type { JSX } from 'preact'
import { Truncated } from '#design/cells'
import { Badge, StatusBadge, statusLabel } from '#design/feedback'
import { Money, ShortDay } from '#design/money'
import { CUSTOMER_STATUSES, type LicenseTotals, type ListedLicense } from '#domain/payments'
import type { ListFacts } from './app-list.ts'
import { AppListPage } from './app-list-page.tsx'
import { ORIGIN_LABELS } from './labels.ts'
import type { LicenseSearch } from './list-search.ts'
import { ANY } from './search-form.tsx'

const COLUMNS = [
  { label: 'Paid', numeric: true },
  { label: 'Customer' },
  { label: 'Plan' },
  { label: 'Status' },
  { label: 'Created' },
  { label: 'End' },
]

const STATUSES = CUSTOMER_STATUSES.map((value) => ({ value, label: statusLabel(value) }))
const ORIGINS = Object.entries(ORIGIN_LABELS).map(([value, label]) => ({ value, label }))
const SORTS = [
  { value: '', label: 'Newest' },
  { value: 'oldest', label: 'Oldest' },
]

/** The licenses of an app: one row per license, bought or given. */
export function LicensesPage(
  facts: ListFacts<ListedLicense, LicenseTotals, LicenseSearch>,
): JSX.Element {
  const { base, totals, search } = facts
  return (
    <AppListPage
      {...facts}
      list="licenses"
      intro="Every license and who has it. Keys are shown to buyers only."
      choices={[
        { label: 'Status', name: 'status', options: [ANY, ...STATUSES] },
        { label: 'Plan', name: 'plan', options: [ANY, ...facts.plans] },
        { label: 'Origin', name: 'origin', options: [ANY, ...ORIGINS] },
        { label: 'Sort', name: 'sort', options: SORTS },
      ]}
      nothing="Licenses appear here after a purchase."
      sums={[
        { term: 'Licenses', detail: totals.count.toLocaleString('en-US') },
        ...totals.by_status.map(({ status, count }) => {
          return { term: statusLabel(status), detail: count.toLocaleString('en-US') }
        }),
      ]}
      order={search.sort === 'oldest' ? 'oldest' : 'newest'}
      columns={COLUMNS}
      recordOf={(each) => ({ key: each.license_id, cells: cellsOf(base, each) })}
    />
  )
}

function cellsOf(base: string, license: ListedLicense) {
  const { paid, email, license_id, product_name, status, origin, created_at, canceled_at } = license
  return [
    <Money amount={paid} />,
    <Truncated text={email} href={`${base}/customers/${license_id}/`} />,
    <Truncated text={product_name} />,
    <span class="inline-flex flex-wrap gap-1">
      <StatusBadge status={status} />
      {origin !== 'purchase' && <Badge>{ORIGIN_LABELS[origin]}</Badge>}
    </span>,
    <ShortDay date={created_at} />,
    canceled_at ? <ShortDay date={canceled_at} /> : '',
  ]
}
