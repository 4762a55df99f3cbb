import { randomBytes } from 'node:crypto'

/** Where randomness comes from. Passed like the clock, so that a seed can replay a run. */
export interface Random {
  bytes(count: number): Buffer
}

/** The operating system's cryptographic generator; the only place that reads it. */
export const systemRandom: Random = { bytes: (count) => randomBytes(count) }
