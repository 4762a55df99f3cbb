import { isDeepStrictEqual } from 'node:util'
import type { FieldChange } from './write-result.ts'

/** Every field in which two states differ, by its path: `sections[2].title`. */
export function differences(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isList(before) && isList(after)) {
    const haveIds = [...before, ...after].every((entry) => idOf(entry) !== undefined)
    return (haveIds ? differencesById : differencesByPlace)(before, after, path)
  }
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) =>
      differences(before[key], after[key], path === '' ? key : `${path}.${key}`),
    )
  }
  return [{ path, before: before ?? null, after: after ?? null }]
}

function differencesByPlace(before: unknown[], after: unknown[], path: string): FieldChange[] {
  const length = Math.max(before.length, after.length)
  return Array.from({ length }, (_, index) =>
    differences(before[index], after[index], `${path}[${index}]`),
  ).flat()
}

/**
 * Entries that have ids are compared by id, so that one that was added or removed is never reported
 * as a change of another. A removed entry is reported at its former place; a changed order as the
 * ids in both orders.
 */
function differencesById(before: unknown[], after: unknown[], path: string): FieldChange[] {
  const was = before.map(idOf)
  const is = after.map(idOf)
  const order = was.filter((id) => is.includes(id))
  const new_order = is.filter((id) => was.includes(id))
  return [
    ...(isDeepStrictEqual(order, new_order) ? [] : [{ path, before: order, after: new_order }]),
    ...before.flatMap((entry, index) =>
      is.includes(was[index]) ? [] : differences(entry, undefined, `${path}[${index}]`),
    ),
    ...after.flatMap((entry, index) =>
      differences(before[was.indexOf(is[index])], entry, `${path}[${index}]`),
    ),
  ]
}

function idOf(entry: unknown): unknown {
  return isRecord(entry) ? (entry.product_public_id ?? entry.public_id) : undefined
}

/**
 * The entries of a list that are missing in another, counted: of two equal ones, one may be
 * missing.
 */
export function removedEntries<Entry>(
  before: readonly Entry[],
  after: readonly Entry[],
  nameOf: (entry: Entry) => string,
): Entry[] {
  const left = after.map(nameOf)
  return before.filter((entry) => {
    const place = left.indexOf(nameOf(entry))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

/** A list that is compared by entry; one of plain words is compared as a whole. */
function isList(value: unknown): value is unknown[] {
  return Array.isArray(value) && !value.some((entry) => typeof entry === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
