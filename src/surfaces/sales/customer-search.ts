import type * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { daysOf, type SearchTexts } from '#http/search'
import { readId } from '#platform/ids'
import { parseSearch } from './list-search.ts'

/** The fields of the search for customers. */
export const CUSTOMER_FIELDS = ['q', 'status', 'plan', 'from', 'to', 'sort'] as const
export type CustomerSearch = SearchTexts<(typeof CUSTOMER_FIELDS)[number]>

/** The filter of a customer search. */
export async function customerFilter(
  world: World,
  app: Pick<apps.App, 'id'>,
  search: CustomerSearch,
): Promise<payments.CustomerFilter> {
  const lookup = parseSearch(world, app, search.q)
  return {
    app_id: app.id,
    status: payments.CUSTOMER_STATUSES.find((each) => each === search.status),
    product_id: readId('prod', search.plan),
    ...daysOf(search),
    user_ids: lookup && (await payments.findCustomers(world.db, app.id, lookup)),
  }
}

/** The order of a search; by default the newest first. */
export function sortOf({ sort }: CustomerSearch): payments.CustomerSort {
  return payments.CUSTOMER_SORTS.find((each) => each === sort) ?? 'newest'
}
