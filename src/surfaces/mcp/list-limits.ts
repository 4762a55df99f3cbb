import * as catalog from '#domain/catalog'
import * as listing from '#domain/listing'
import type { FieldFault } from '#platform/problem'

/** The most entries that an argument with this name may have, at any depth. */
const MAX_ITEMS: Record<string, number> = {
  versions: catalog.MAX_VERSIONS,
  prices: catalog.MAX_PRICES,
  sections: listing.LIMITS.sections,
  features: listing.LIMITS.features,
  product_ids: catalog.MAX_VERSIONS,
  categories: listing.LIMITS.names,
  industries: listing.LIMITS.names,
  tags: listing.LIMITS.names,
}

/** Lists longer than this multiple are rejected without checking their entries. */
const REJECTED_MULTIPLE = 2

/**
 * Errors for the lists in a call that are far too long. They are checked first, because schemas,
 * rules and dry runs read every entry several times.
 */
export function findOversizedLists(args: Record<string, unknown>): FieldFault[] {
  return Object.entries(args).flatMap(([name, value]) => oversizedListsAt(name, name, value))
}

function oversizedListsAt(path: string, name: string, value: unknown): FieldFault[] {
  const most = MAX_ITEMS[name]
  if (most === undefined || !Array.isArray(value)) return []
  if (value.length > REJECTED_MULTIPLE * most) {
    return [{ path, message: `Use at most ${most} items. This list has ${value.length}.` }]
  }
  return value.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null
      ? Object.entries(entry).flatMap(([inner, each]) =>
          oversizedListsAt(`${path}[${index}].${inner}`, inner, each),
        )
      : [],
  )
}
