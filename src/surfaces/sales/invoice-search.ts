import type * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { daysOf, type SearchTexts } from '#http/search'
import { readId } from '#platform/ids'
import { KIND_LABELS } from './labels.ts'
import { parseSearch } from './list-search.ts'

/** The fields of the search for sales. */
export const INVOICE_FIELDS = ['q', 'status', 'kind', 'from', 'to'] as const
export type InvoiceSearch = SearchTexts<(typeof INVOICE_FIELDS)[number]>

const KINDS = Object.keys(KIND_LABELS) as billing.InvoiceKind[]

/** The filter of an invoice search. */
export async function invoiceFilter(
  world: World,
  app: Pick<apps.App, 'id'>,
  search: InvoiceSearch,
): Promise<billing.InvoiceFilter> {
  return {
    app_id: app.id,
    status: billing.SELLER_INVOICE_STATUSES.find((each) => each === search.status),
    kind: KINDS.find((each) => each === search.kind),
    dated: search.from || search.to ? daysOf(search) : undefined,
    found: await foundBy(world, app, search.q),
  }
}

/** Finds an invoice by its number or id, or all invoices of the licenses that match the search. */
async function foundBy(
  world: World,
  app: Pick<apps.App, 'id'>,
  text: string,
): Promise<billing.FoundInvoices | undefined> {
  const lookup = parseSearch(world, app, text)
  if (!lookup) return undefined
  const { number } = lookup
  const id = readId('inv', lookup.id) ?? null
  const isOne = id !== null || number !== null
  const license_ids = isOne ? [] : await payments.findMatchingLicenses(world.db, app.id, lookup)
  return { id, number, license_ids }
}
