/** How often a thing was seen since it was last asked, and when first and last. */
export interface Counted<Thing> {
  thing: Thing
  count: number
  first_at: Date
  last_at: Date
}

/**
 * Counts in memory what is too frequent to be written down each time. What is drained is to be
 * written; what was not yet is lost with the process.
 */
export interface Tally<Thing> {
  add(thing: Thing, at: Date): void
  /** All that was counted since the last time. */
  drain(): Counted<Thing>[]
}

/** A tally of things that are told apart by `nameOf`. */
export function openTally<Thing>(nameOf: (thing: Thing) => string): Tally<Thing> {
  let counted = new Map<string, Counted<Thing>>()
  return {
    add(thing, at) {
      const name = nameOf(thing)
      const known = counted.get(name)
      if (!known) counted.set(name, { thing, count: 1, first_at: at, last_at: at })
      else {
        known.count++
        known.last_at = at
      }
    },
    drain() {
      const drained = [...counted.values()]
      counted = new Map()
      return drained
    },
  }
}
