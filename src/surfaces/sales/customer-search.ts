import type * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { type AppId, readId } from '#platform/ids'
import { cents } from '#platform/money'
import { daysOf, type SearchTexts, soughtOf } from './list-search.ts'

/** The fields of the search for customers. */
export const CUSTOMER_FIELDS = ['q', 'status', 'plan', 'from', 'to', 'sort'] as const
export type CustomerSearch = SearchTexts<(typeof CUSTOMER_FIELDS)[number]>

/** The customers that a search is about. */
export async function customerFilter(
  world: World,
  app: Pick<apps.App, 'id'>,
  search: CustomerSearch,
): Promise<payments.CustomerFilter> {
  const sought = soughtOf(world, app, search.q)
  return {
    app_id: app.id,
    status: payments.CUSTOMER_STATUSES.find((each) => each === search.status),
    product_id: readId('prod', search.plan),
    ...daysOf(search),
    user_ids: sought && (await payments.findCustomers(world.db, app.id, sought)),
  }
}

/** The order of a search; by default the newest first. */
export function sortOf({ sort }: CustomerSearch): payments.CustomerSort {
  return payments.CUSTOMER_SORTS.find((each) => each === sort) ?? 'newest'
}

/** The place of a customer in the list, as it is in addresses. */
export function cursorText({ first_at, paid, user_id }: payments.CustomerCursor): string {
  return `${first_at.getTime()}.${paid}.${user_id}`
}

/** The place in an address, if it is one. */
export function readCursor(text: string | undefined): payments.CustomerCursor | undefined {
  const [, at, paid, user] = /^(\d{1,14})\.(-?\d{1,15})\.(\w+)$/.exec(text ?? '') ?? []
  const user_id = readId('usr', user)
  if (!user_id) return undefined
  return { first_at: new Date(Number(at)), paid: cents(Number(paid)), user_id }
}

/** The plans of an app, for the filter. */
export async function planOptions({ db }: World, app_id: AppId) {
  const products = await catalog.products(db, app_id)
  return products.map(({ id, name }) => ({ value: id, label: name }))
}
