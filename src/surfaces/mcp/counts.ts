import * as catalog from '#domain/catalog'
import * as listing from '#domain/listing'
import type { FieldFault } from '#platform/problem'

/** How many entries a list of this name may have, wherever it stands in the arguments. */
const MOST: Record<string, number> = {
  versions: catalog.MOST_VERSIONS,
  prices: catalog.MOST_PRICES,
  sections: listing.LIMITS.sections,
  features: listing.LIMITS.features,
  product_ids: catalog.MOST_VERSIONS,
  // What tells of a list that is a little too long is the tool's own; this is far beyond.
  categories: 50,
  industries: 50,
  tags: 50,
}

/** Beyond this nobody mends a list: the faults of its entries are worth no work. */
const FAR = 2

/**
 * The lists of a call that are far too long, which is found before anything else is done for it:
 * schemas, rules and rehearsals look at every entry several times.
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
