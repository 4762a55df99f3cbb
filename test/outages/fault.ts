import type { FaultSuite } from './cluster.ts'

/** How often a fault was caused, and what was seen. */
export interface FaultResult {
  count: number
  outcome: string
}

/** A fault: what is lost or killed, and what must be true while it lasts and afterwards. */
export interface Fault {
  /** What the table says, and what `--only` finds. */
  name: string
  /** Causes the fault. Throws if a promise was broken. */
  run(suite: FaultSuite): Promise<FaultResult>
  /** Why it cannot be run here; undefined if it can. */
  skip?: () => string | undefined
}
