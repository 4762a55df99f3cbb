import * as metrics from '#domain/metrics'
import * as payments from '#domain/payments'
import { daysOf } from '#http/search'
import { FREQUENCIES, isoDate, isoSeconds } from '#platform/calendar'
import type { CsvColumn } from '#platform/csv'
import { readId } from '#platform/ids'
import { ownValue } from '#platform/record'
import type { AppList } from './app-list.ts'
import { licensesFor, SUBSCRIPTION_FIELDS } from './list-search.ts'
import { SubscriptionsPage } from './subscriptions-page.tsx'

const DISCOUNTED: Record<string, boolean> = { yes: true, no: false }

const COLUMNS: CsvColumn<metrics.ListedSubscription>[] = [
  { name: 'customer', of: ({ email }) => email },
  { name: 'mrr', of: ({ mrr }) => mrr },
  { name: 'price', of: ({ amount }) => amount },
  { name: 'frequency', of: ({ frequency }) => frequency },
  { name: 'discount_code', of: ({ discount_code }) => discount_code },
  { name: 'plan', of: ({ product_name }) => product_name },
  { name: 'status', of: ({ status }) => status },
  { name: 'started', of: ({ created_at }) => isoSeconds(created_at) },
  { name: 'period_end', of: ({ period_end }) => isoDate(period_end) },
  { name: 'auto_renew', of: ({ auto_renew }) => (auto_renew ? 'yes' : 'no') },
  { name: 'subscription_id', of: ({ id }) => id },
  { name: 'license_id', of: ({ license_id }) => license_id },
]

/** The list of an app's subscriptions. */
export const SUBSCRIPTIONS: AppList<
  metrics.ListedSubscription,
  metrics.SubscriptionTotals,
  metrics.SubscriptionFilter,
  (typeof SUBSCRIPTION_FIELDS)[number]
> = {
  name: 'subscriptions',
  export: { kind: 'export_subscriptions', title: 'Exporting subscriptions', columns: COLUMNS },
  fields: SUBSCRIPTION_FIELDS,
  async filterOf(world, app, search) {
    return {
      app_id: app.id,
      status: metrics.SUBSCRIPTION_STATUSES.find((each) => each === search.status),
      product_id: readId('prod', search.plan),
      frequency: FREQUENCIES.find((each) => each === search.frequency),
      is_discounted: ownValue(DISCOUNTED, search.discount),
      ...daysOf(search),
      license_ids: await licensesFor(world, app, search.q),
    }
  },
  async read({ db }, { filter, search, after, limit }) {
    const sort = metrics.SUBSCRIPTION_SORTS.find((each) => each === search.sort) ?? 'newest'
    return await metrics.listSubscriptions(db, { ...filter, sort, after, limit })
  },
  cursorOf: ({ created_at, mrr, license_id }) => ({ at: created_at, amount: mrr, id: license_id }),
  totals: ({ db }, filter) => metrics.subscriptionTotals(db, filter),
  isCut: ({ license_ids }) => license_ids?.length === payments.MAX_FOUND,
  Page: SubscriptionsPage,
}
