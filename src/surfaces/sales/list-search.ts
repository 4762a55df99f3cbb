import { z } from 'zod'
import type * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { type SearchTexts, UNKNOWN_KEY } from '#http/search'
import type { AppId, LicenseId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { recordFrom } from '#platform/record'

/** The fields of the search for subscriptions. */
export const SUBSCRIPTION_FIELDS = [
  'q',
  'status',
  'plan',
  'frequency',
  'discount',
  'from',
  'to',
  'sort',
] as const
export type SubscriptionSearch = SearchTexts<(typeof SUBSCRIPTION_FIELDS)[number]>

/** The fields of the search for licenses. */
export const LICENSE_FIELDS = ['q', 'status', 'plan', 'origin', 'from', 'to', 'sort'] as const
export type LicenseSearch = SearchTexts<(typeof LICENSE_FIELDS)[number]>

/** The request of an export: a search, and the app's slug. */
const Asked = z.object({ slug: z.string() }).catchall(z.string())

/** The request for an export of a search's results; empty fields are left out. */
export function exportRequest(
  slug: string,
  search: Record<string, string>,
): { slug: string } & Record<string, string> {
  const given = Object.entries(search).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(given), slug }
}

/** The search that an export was started with. */
export function exportedSearch<Name extends string>(
  request: unknown,
  names: readonly Name[],
): { slug: string; search: SearchTexts<Name> } {
  const { slug, ...given } = Asked.parse(request)
  return { slug, search: recordFrom(names, (name) => given[name] ?? '') }
}

/** The position of a row in a list: its date, its amount, and its unique id. */
export interface ListCursor {
  at: Date
  amount: Cents
  id: string
}

/** A position as a query parameter. */
export function cursorText({ at, amount, id }: ListCursor): string {
  return `${at.getTime()}.${amount}.${id}`
}

/** The position in a query parameter, if it is valid. */
export function readCursor(text: string | undefined): ListCursor | undefined {
  const [, at, amount, id] = /^(\d{1,14})\.(-?\d{1,15})\.(\w{1,40})$/.exec(text ?? '') ?? []
  if (id === undefined) return undefined
  return { at: new Date(Number(at)), amount: cents(Number(amount)), id }
}

/** Parses a search: the beginning of an email, a license key, an order, a license or an invoice. */
export function parseSearch(
  { keys, clock }: World,
  app: Pick<apps.App, 'id'>,
  text: string,
): payments.CustomerLookup | undefined {
  if (text === '') return undefined
  const facts = { client_id: app.id, reference: text }
  const number = /^(?:PUR-)?0*(\d{1,15})$/i.exec(text)?.[1]
  return {
    id: licensing.readReference(keys, clock.now(), facts) ?? text,
    email_start: identity.readEmailStart(text) ?? null,
    number: number === undefined ? null : Number(number),
    key_hashes: licensing.isWellFormedKey(text) ? licensing.keyHashes(keys, text) : [],
  }
}

/**
 * A search with the license's ID in place of its key: a search is in addresses, which browsers
 * keep, and in the request of an export. The same object if there is no key.
 */
export async function withoutKey<Name extends string>(
  world: World,
  app: Pick<apps.App, 'id'>,
  search: SearchTexts<Name>,
): Promise<SearchTexts<Name>> {
  const { q = '' }: Partial<Record<string, string>> = search
  if (!licensing.isWellFormedKey(q)) return search
  const [license_id] = (await licensesFor(world, app, q)) ?? []
  return { ...search, q: license_id ?? UNKNOWN_KEY }
}

/** The licenses that match a search; undefined without a search. */
export async function licensesFor(
  world: World,
  app: Pick<apps.App, 'id'>,
  text: string,
): Promise<LicenseId[] | undefined> {
  const lookup = parseSearch(world, app, text)
  return lookup && (await payments.findMatchingLicenses(world.db, app.id, lookup))
}

/** The plans of an app, for a filter. */
export async function planOptions({ db }: World, app_id: AppId) {
  const products = await catalog.products(db, app_id)
  return products.map(({ id, name }) => ({ value: id, label: name }))
}
