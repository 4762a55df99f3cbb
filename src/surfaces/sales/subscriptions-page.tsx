import type { JSX } from 'preact'
import { Stacked, Truncated } from '#design/cells'
import { StatusBadge, statusLabel } from '#design/feedback'
import { adverbOf, Money, priceText, ShortDay } from '#design/money'
import {
  type ListedSubscription,
  SUBSCRIPTION_STATUSES,
  type SubscriptionTotals,
} from '#domain/metrics'
import { FREQUENCIES } from '#platform/calendar'
import { capitalized } from '#platform/text'
import type { ListFacts } from './app-list.ts'
import { AppListPage, renewalText } from './app-list-page.tsx'
import type { SubscriptionSearch } from './list-search.ts'
import { ANY } from './search-form.tsx'

const COLUMNS = [
  { label: 'MRR', numeric: true },
  { label: 'Price', numeric: true },
  { label: 'Customer and plan' },
  { label: 'Status' },
  { label: 'Started' },
  { label: 'Renewal' },
]

const STATUSES = SUBSCRIPTION_STATUSES.map((value) => ({ value, label: statusLabel(value) }))
const PERIODS = FREQUENCIES.toReversed().map((value) => ({
  value,
  label: capitalized(adverbOf(value)),
}))
const DISCOUNTS = [
  { value: 'yes', label: 'With a discount' },
  { value: 'no', label: 'Without' },
]
const SORTS = [
  { value: '', label: 'Newest' },
  { value: 'mrr', label: 'Highest MRR' },
]

/** The subscriptions of an app, with their recurring revenue. */
export function SubscriptionsPage(
  facts: ListFacts<ListedSubscription, SubscriptionTotals, SubscriptionSearch>,
): JSX.Element {
  const { base, totals, search } = facts
  return (
    <AppListPage
      {...facts}
      list="subscriptions"
      intro="Plans that renew, with their monthly recurring revenue before tax."
      choices={[
        { label: 'Status', name: 'status', options: [ANY, ...STATUSES] },
        { label: 'Plan', name: 'plan', options: [ANY, ...facts.plans] },
        { label: 'Billed', name: 'frequency', options: [ANY, ...PERIODS] },
        { label: 'Discount', name: 'discount', options: [ANY, ...DISCOUNTS] },
        { label: 'Sort', name: 'sort', options: SORTS },
      ]}
      nothing="Plans that renew appear here after a purchase."
      sums={[
        { term: 'MRR', detail: <Money amount={totals.mrr} /> },
        { term: 'Active', detail: totals.active.toLocaleString('en-US') },
        { term: 'Subscriptions', detail: totals.count.toLocaleString('en-US') },
      ]}
      order={search.sort === 'mrr' ? 'highest MRR' : 'newest'}
      columns={COLUMNS}
      recordOf={(each) => ({ key: each.id, cells: cellsOf(base, each) })}
    />
  )
}

function cellsOf(base: string, subscription: ListedSubscription) {
  const { mrr, amount, frequency, discount_code, email, license_id, status } = subscription
  return [
    <Money amount={mrr} />,
    <Stacked numeric below={discount_code && <Truncated text={discount_code} />}>
      {priceText(amount, frequency)}
    </Stacked>,
    <Stacked below={<Truncated text={subscription.product_name} />}>
      <Truncated text={email} href={`${base}/customers/${license_id}/`} />
    </Stacked>,
    <StatusBadge status={status} />,
    <ShortDay date={subscription.created_at} />,
    status === 'canceled' ? '' : renewalText(subscription),
  ]
}
