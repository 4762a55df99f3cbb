import { until } from './cluster.ts'
import type { Fault } from './fault.ts'
import type { ProcessorState } from './messages.ts'
import { underLoad } from './under-load.ts'

const STATES: readonly [state: ProcessorState, name: string][] = [
  ['is silent', 'does not answer'],
  ['is late', 'charges, and answers after the timeout'],
  ['fails', 'answers with errors'],
]
const HOUR_MS = 3_600_000

/** A processor that is away: a charge is repeated by its key, or closed, and never made twice. */
export const PROCESSOR_FAULTS: readonly Fault[] = STATES.map(([state, name]) => ({
  name: `processor: ${name}`,
  run: (suite) =>
    underLoad(suite, {}, async ({ node, load }) => {
      await node.command({ kind: 'processor', state })
      const payments = () => load.answers.filter(({ what }) => what.endsWith('/confirm')).length
      const seen = payments()
      await until('buyers paid during the fault', () => payments() >= seen + 2)
      await node.command({ kind: 'processor', state: 'answers' })
      await load.purchases(2)
      return payments() - seen
    }),
}))

/** A clock that is set back while everything runs. */
export const CLOCK_FAULTS: readonly Fault[] = [
  {
    name: 'clock: back one hour',
    run: (suite) =>
      underLoad(suite, {}, async ({ node, load }) => {
        await node.command({ kind: 'processor', state: 'is late' })
        const payments = () => load.answers.filter(({ what }) => what.endsWith('/confirm')).length
        const seen = payments()
        await until('a payment is open', () => payments() > seen)
        await node.command({ kind: 'clock', ahead_ms: -HOUR_MS })
        await node.command({ kind: 'processor', state: 'answers' })
        await load.purchases(2)
        // Not a whole hour: that is when success pages of new accounts ask for a sign-in.
        await node.command({ kind: 'clock', ahead_ms: -HOUR_MS / 12 })
        return 1
      }),
  },
]
