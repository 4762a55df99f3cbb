import type { Frequency } from '#platform/calendar'
import type { PriceId, ProductId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { FieldFault } from '#platform/problem'
import { tidyText } from '#platform/text'
import { readFrequency, readPrice, type VersionInput, versionFaults } from './version.ts'

/** A price that a product has or had. */
export interface ExistingPrice {
  id: PriceId
  frequency: Frequency | null
  amount: Cents
  is_live: boolean
}

/** A product that an app has or had, with whatever prevents changing it. */
export interface ExistingVersion {
  id: ProductId
  legacy_id: string | null
  name: string
  is_free: boolean
  trial_days: number
  is_live: boolean
  prices: ExistingPrice[]
  /** Subscriptions that have not ended: active, in trial, past due, unpaid or paused. */
  subscriptions: number
  /** Subscriptions that change to it at the end of their period. */
  coming: number
  /** Licenses that have not ended, including one-time purchases. */
  licenses: number
  /** Purchases of it that are pending at the processor. */
  purchases: number
}

/** A product as it will be; the ids of new ones are null. */
export interface PlannedVersion {
  id: ProductId | null
  name: string
  is_free: boolean
  position: number
  trial_days: number
  prices: { id: PriceId | null; frequency: Frequency | null; amount: Cents }[]
}

/** Everything to change. A product or price that is planned by its id stays, or is restored. */
export interface VersionPlan {
  versions: PlannedVersion[]
  deleted_versions: ProductId[]
  /** Deleted prices of products that stay. */
  deleted_prices: PriceId[]
}

/**
 * Plans the replacement of an app's products (spec: replace_versions rules), or returns every
 * reason against it. `restore` brings back deleted ones by id, which undoing a change needs.
 */
export function planVersions(
  given: readonly VersionInput[],
  existing: readonly ExistingVersion[],
  { restore }: { restore: boolean },
): { plan: VersionPlan } | { faults: FieldFault[] } {
  const found = given.map(({ product_id }) => findVersion(existing, product_id))
  // If `is_free` is not given, an existing product keeps it.
  const wanted = given.map((version, index) => ({
    ...version,
    is_free: version.is_free ?? found[index]?.is_free ?? false,
  }))
  const leaving = existing.filter((each) => each.is_live && !found.includes(each))
  const faults = [
    ...versionFaults(wanted),
    ...wanted.flatMap((version, index) => identityFaults(version, { found, index, restore })),
    ...deletionFaults(leaving),
  ]
  if (faults.length > 0) return { faults }
  const versions = wanted.map((version, position) => planned(version, found[position], position))
  const excess = excessFault(versions, existing)
  if (excess) return { faults: [excess] }
  const kept = new Set(versions.flatMap(({ prices }) => prices.map(({ id }) => id)))
  const prices = found.flatMap((version) => version?.prices.filter((price) => price.is_live) ?? [])
  return {
    plan: {
      versions,
      deleted_versions: leaving.map(({ id }) => id),
      deleted_prices: prices.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
    },
  }
}

/**
 * The most products and prices that an app can have had: they are kept for good, and an agent may
 * replace them every second.
 */
const MAX_KEPT = 5000

/** The fault of creating more than an app can have. */
function excessFault(
  versions: readonly PlannedVersion[],
  existing: readonly ExistingVersion[],
): FieldFault | undefined {
  const counted = (all: readonly { prices: readonly unknown[] }[]) =>
    all.reduce((sum, { prices }) => sum + 1 + prices.length, 0)
  const kept = counted(existing)
  const fresh = versions.flatMap((version) => [version, ...version.prices])
  const created = fresh.filter(({ id }) => id === null).length
  if (created === 0 || kept + created <= MAX_KEPT) return undefined
  const [most, present] = [MAX_KEPT, kept].map((count) => count.toLocaleString('en-US'))
  const message = `An app can have at most ${most} versions and prices, deleted ones included. This app has ${present}. Change existing ones instead of replacing them.`
  return { path: 'versions', message }
}

/** A product whose `is_free` is known. */
type RequiredVersion = VersionInput & { is_free: boolean }

/** A product by its `prod_` id, or by the UUID that old ones had. */
export function findVersion(
  existing: readonly ExistingVersion[],
  product_id: string | undefined,
): ExistingVersion | undefined {
  if (product_id === undefined) return undefined
  const legacy_id = product_id.toLowerCase()
  return existing.find((each) => each.id === product_id || each.legacy_id === legacy_id)
}

/** The id of a product for sale by the caller's ID for it, or what is wrong with that ID. */
export function soldVersion(
  existing: readonly ExistingVersion[],
  product_id: string,
): { id: ProductId } | { message: string } {
  const found = findVersion(existing, product_id)
  if (!found) return { message: UNKNOWN }
  const { id, name, is_live } = found
  return is_live ? { id } : { message: `${name} (${id}) is no longer for sale.` }
}

const UNKNOWN = 'This app has no version with this ID.'

function identityFaults(
  { product_id, is_free }: RequiredVersion,
  facts: { found: (ExistingVersion | undefined)[]; index: number; restore: boolean },
): FieldFault[] {
  const { found, index, restore } = facts
  if (product_id === undefined) return []
  const at = `versions[${index}].product_id`
  const own = found[index]
  if (!own) return [{ path: at, message: UNKNOWN }]
  if (!own.is_live && !restore) {
    return [{ path: at, message: 'This version was deleted. Omit the ID to create a new one.' }]
  }
  if (found.indexOf(own) < index) return [{ path: at, message: 'Duplicate version.' }]
  const uses = own.licenses + own.purchases
  if (is_free === own.is_free || uses === 0) return []
  const message = `Cannot be changed to ${is_free ? 'free' : 'paid'} while ${people(uses)} it.`
  return [{ path: `versions[${index}].is_free`, message }]
}

function people(count: number): string {
  return count === 1 ? '1 customer has' : `${count} customers have`
}

function deletionFaults(leaving: readonly ExistingVersion[]): FieldFault[] {
  return leaving.flatMap(({ id, name, subscriptions, coming, purchases }) => {
    const what = `${name} (${id}) cannot be deleted:`
    const messages: string[] = []
    if (subscriptions > 0) {
      const count = `${subscriptions} active subscription${subscriptions === 1 ? '' : 's'}`
      messages.push(`${what} it has ${count}. Resubmit it with its product_id.`)
    }
    if (coming > 0) {
      const count = coming === 1 ? '1 subscription changes' : `${coming} subscriptions change`
      messages.push(`${what} ${count} to it soon. Resubmit it with its product_id.`)
    }
    if (purchases > 0) messages.push(`${what} a purchase of it is being confirmed. Try again soon.`)
    return messages.map((message) => ({ path: 'versions', message }))
  })
}

function planned(
  version: RequiredVersion,
  existing: ExistingVersion | undefined,
  position: number,
): PlannedVersion {
  const { is_free } = version
  const known = existing?.prices ?? []
  return {
    id: existing?.id ?? null,
    name: tidyText(version.name),
    is_free,
    position,
    trial_days: is_free ? 0 : (version.trial_days ?? existing?.trial_days ?? 0),
    prices: version.prices.map((price) => {
      const frequency = readFrequency(price.frequency) as Frequency | null
      const same = known.filter((each) => each.frequency === frequency)
      const kept = same.find(({ id }) => id === price.id) ?? same.find(({ is_live }) => is_live)
      return { id: kept?.id ?? null, frequency, amount: readPrice(price.amount)! }
    }),
  }
}
