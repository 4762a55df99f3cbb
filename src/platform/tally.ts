/** How often a thing was seen since it was last asked, and when first and last. */
export interface Counted<Thing> {
  thing: Thing
  count: number
  first_at: Date
  last_at: Date
}

/**
 * Counts in memory what is too frequent to be written down each time. What was not written yet is
 * lost with the process.
 */
export interface BufferedTally<Thing> {
  add(thing: Thing, at: Date): void
  /** Hands over all that was counted since the last time; counts it again where `write` throws. */
  drain(write: (counted: Counted<Thing>[]) => Promise<void>): Promise<void>
}

/** A tally of things that `nameOf` distinguishes. */
export function openTally<Thing>(nameOf: (thing: Thing) => string): BufferedTally<Thing> {
  let counted = new Map<string, Counted<Thing>>()
  const addAll = ({ thing, count, first_at, last_at }: Counted<Thing>) => {
    const name = nameOf(thing)
    const known = counted.get(name)
    if (!known) {
      counted.set(name, { thing, count, first_at, last_at })
      return
    }
    known.count += count
    if (first_at < known.first_at) known.first_at = first_at
    if (last_at > known.last_at) known.last_at = last_at
  }
  return {
    add: (thing, at) => addAll({ thing, count: 1, first_at: at, last_at: at }),
    async drain(write) {
      const drained = [...counted.values()]
      counted = new Map()
      try {
        await write(drained)
      } catch (error) {
        drained.forEach(addAll)
        throw error
      }
    },
  }
}
