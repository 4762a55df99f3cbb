import * as catalog from '#domain/catalog'
import * as listing from '#domain/listing'
import type { FieldFault } from '#platform/problem'

/** The most entries that an argument with this name may have, at any depth. */
const MOST: Record<string, number> = {
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
const FAR = 2

/**
 * The lists in a call that are far too long. Checked first, because schemas, rules and dry runs
 * read every entry several times.
 */
export function farTooMany(args: Record<string, unknown>): FieldFault[] {
  return Object.entries(args).flatMap(([name, value]) => excessAt(name, name, value))
}

function excessAt(path: string, name: string, value: unknown): FieldFault[] {
  const most = MOST[name]
  if (most === undefined || !Array.isArray(value)) return []
  if (value.length > FAR * most) {
    return [{ path, message: `Use at most ${most} items. This list has ${value.length}.` }]
  }
  return value.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null
      ? Object.entries(entry).flatMap(([inner, each]) =>
          excessAt(`${path}[${index}].${inner}`, inner, each),
        )
      : [],
  )
}
