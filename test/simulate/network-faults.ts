import * as payments from '#domain/payments'
import type { SeededRandom } from './random.ts'

/** How many calls in a hundred the network to the processor loses. */
export interface NetworkFaults {
  loss_percent: number
  rng: SeededRandom
}

type Call = (...args: never[]) => Promise<unknown>

// Not a call of the service, or a list that is read as it arrives.
const LISTS = ['charges', 'refunds', 'payouts', 'disputes', 'balanceTransactions']
const DIRECT = ['declareRoutes', ...LISTS]

// How many charges in a hundred the processor refuses while calls are lost, whatever the card.
const REFUSED = 15

/** The processor behind a network that loses requests and answers of all its calls. */
export function withNetworkFaults(
  processor: payments.Processor,
  network: NetworkFaults,
): payments.Processor {
  const lose = (what: string) => {
    throw new payments.ProcessorUnreachable(`${what} was lost`)
  }
  const through =
    (name: string, call: Call): Call =>
    async (...args) => {
      const { loss_percent, rng } = network
      const fate = loss_percent > 0 ? rng.below(100) : 100
      if (fate < loss_percent / 2) lose(`the request of ${name}`)
      const isRefused = name === 'charge' && loss_percent > 0 && fate >= 100 - REFUSED
      if (isRefused) return { status: 'refused', reason: 'parameter_invalid' }
      const answer = await call(...args)
      if (fate < loss_percent) lose(`the answer to ${name}`)
      return answer
    }
  const calls = Object.entries(processor).map(([name, part]) => [
    name,
    typeof part === 'function' && !DIRECT.includes(name) ? through(name, part as Call) : part,
  ])
  return Object.fromEntries(calls)
}
