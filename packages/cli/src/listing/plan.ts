/** Which tool calls bring an app from the service's state to that of a file. Pure. */
import type { InvalidField } from '../exit.ts'
import type { FileContent, FilePlan } from './file.ts'
import { pulledPlans } from './fingerprint.ts'
import type { AppState, FeatureRow, ListingTexts, PlanVersion } from './state.ts'

/** One call of a tool, without `app_slug` and `dry_run`. */
export interface PlannedCall {
  tool: string
  args: Record<string, unknown>
}

/** The state that a file asks for: what it leaves out stays as the service has it. */
export function wantedState(content: FileContent, remote: AppState): AppState {
  const versions = content.versions ? withWrittenIds(content, remote) : remote.versions
  return {
    listing: { ...remote.listing, ...content.listing },
    sections: content.sections ?? remote.sections,
    features: withIds(content.features ?? remote.features, versions),
    versions,
  }
}

/**
 * The plans of a file. A new plan that the service has under its name since the pull was written by
 * a push that did not end: it gets the ID, so that it is not created twice.
 */
function withWrittenIds({ versions = [], pulled }: FileContent, remote: AppState): PlanVersion[] {
  const known = pulledPlans(pulled)
  const named = new Set(versions.map(({ product_id }) => product_id))
  const written = remote.versions.filter(({ product_id: id }) => {
    return id !== undefined && !known.has(id) && !named.has(id)
  })
  return versions.map((version) => {
    const product_id =
      version.product_id ?? written.find(({ name }) => name === version.name)?.product_id
    const stored = remote.versions.find((each) => product_id && each.product_id === product_id)
    return completed(version, product_id, stored)
  })
}

/** A plan with what its file leaves out: as the service has it, or the defaults of a new plan. */
function completed(
  plan: FilePlan,
  product_id: string | undefined,
  stored: PlanVersion | undefined,
): PlanVersion {
  const { product_id: _, name, description, is_free, prices, ...unknown } = plan
  return {
    ...(product_id !== undefined && { product_id }),
    name,
    description: description === undefined ? (stored?.description ?? '') : description,
    is_free: is_free ?? stored?.is_free ?? false,
    prices: prices ?? stored?.prices ?? [],
    ...unknown,
  }
}

/** Feature rows may name a plan by its name, which becomes its ID where it has one. */
function withIds(features: FeatureRow[], versions: PlanVersion[]): FeatureRow[] {
  const ids = new Map(versions.map(({ name, product_id }) => [name, product_id]))
  return features.map((row) => {
    return { ...row, product_ids: row.product_ids.map((each) => ids.get(each) ?? each) }
  })
}

/** Feature rows that name plans which the file does not have. */
export function unknownPlans({ features, versions }: AppState): InvalidField[] {
  const known = new Set(versions.flatMap(({ name, product_id }) => [name, product_id]))
  return features.flatMap(({ product_ids }, row) =>
    product_ids.flatMap((each, at) => {
      const message = `"${each}" is no plan of the file: give its product_id or its exact name`
      return known.has(each) ? [] : [{ path: `features[${row}].product_ids[${at}]`, message }]
    }),
  )
}

/** The calls for everything but descriptions and feature rows, which may need IDs of new plans. */
export function callsFor(remote: AppState, wanted: AppState): PlannedCall[] {
  const calls: PlannedCall[] = []
  const changed = changedTexts(remote.listing, wanted.listing)
  if (Object.keys(changed).length > 0) calls.push({ tool: 'update_app_listing', args: changed })
  if (!isSame(remote.sections, wanted.sections)) {
    calls.push({ tool: 'replace_detail_sections', args: { sections: wanted.sections } })
  }
  return calls
}

/** The call that replaces plans and prices; undefined if they are the same. */
export function versionsCall(remote: AppState, wanted: AppState): PlannedCall | undefined {
  const versions = wanted.versions.map(withoutDescription)
  if (isSame(remote.versions.map(withoutDescription), versions)) return undefined
  return { tool: 'replace_versions', args: { versions } }
}

/**
 * The calls that change descriptions. The plans of `current` have their IDs. A new plan without one
 * is checked, in a dry run, with the ID of another plan, `replacement_id`.
 */
export function descriptionCalls(
  remote: AppState,
  current: PlanVersion[],
  replacement_id?: string,
): PlannedCall[] {
  const before = new Map(
    remote.versions.map(({ product_id, description }) => [product_id, description]),
  )
  return current.flatMap((version) => {
    const { description } = version
    const product_id = version.product_id ?? replacement_id
    const previous = version.product_id === undefined ? '' : (before.get(product_id) ?? '')
    if (previous === description || product_id === undefined) return []
    return [{ tool: 'update_product_description', args: { product_id, description } }]
  })
}

/** The call that replaces the feature table. In a dry run, plans without an ID are left out. */
export function featuresCall(remote: AppState, wanted: AppState): PlannedCall | undefined {
  if (isSame(remote.features, wanted.features)) return undefined
  const fresh = new Set(
    wanted.versions.filter(({ product_id }) => !product_id).map(({ name }) => name),
  )
  const features = wanted.features.map((row) => {
    return { ...row, product_ids: row.product_ids.filter((each) => !fresh.has(each)) }
  })
  return { tool: 'replace_feature_table', args: { features } }
}

/** The wanted state with the IDs that the service gave to new plans. */
export function withNewIds(wanted: AppState, written: { id: string; name: string }[]): AppState {
  const ids = new Map(written.map(({ id, name }) => [name, id]))
  const versions = wanted.versions.map((version) => {
    const product_id = version.product_id ?? ids.get(version.name)
    return product_id === undefined ? version : { ...version, product_id }
  })
  return { ...wanted, versions, features: withIds(wanted.features, versions) }
}

function changedTexts(before: ListingTexts, after: ListingTexts): Record<string, unknown> {
  const entries = Object.entries(after).filter(
    ([name, value]) => !isSame(before[name as keyof ListingTexts], value),
  )
  return Object.fromEntries(entries)
}

function withoutDescription({ description: _, ...version }: PlanVersion) {
  return version
}

/** Whether two values have the same content, whatever the order of their fields. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, sorted(each)]),
  )
}
