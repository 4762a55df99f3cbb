/** Where the time comes from. Everything else takes `now` as an argument, in UTC. */
export interface Clock {
  now(): Date
}

/** The machine's own clock; the only place that reads it. */
export const systemClock: Clock = { now: () => new Date() }
