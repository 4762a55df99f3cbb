/** How often something was seen since the last time, and when first and last. */
export interface Counted<Thing> {
  thing: Thing
  count: number
  first_at: Date
  last_at: Date
}

/**
 * Counts in memory what is too frequent to be written each time. Unwritten counts are lost with the
 * process.
 */
export interface BufferedTally<Thing> {
  add(thing: Thing, at: Date): void
  /**
   * Passes everything counted since the last time to `write`, up to a thousand at once; counts it
   * again if `write` throws.
   */
  drain(write: (counted: Counted<Thing>[]) => Promise<void>): Promise<void>
}

// A statement of many thousand rows takes the event loop, and the database, from requests.
const WRITTEN_AT_ONCE = 1_000

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
      for (let done = 0; done < drained.length; done += WRITTEN_AT_ONCE) {
        try {
          await write(drained.slice(done, done + WRITTEN_AT_ONCE))
        } catch (error) {
          drained.slice(done).forEach(addAll)
          throw error
        }
      }
    },
  }
}
