import * as payments from '#domain/payments'
import type { Chance } from './chance.ts'

/** How bad the network to the processor is, in calls of a hundred that do not come through. */
export interface Weather {
  storm: number
  chance: Chance
}

type Call = (...args: never[]) => Promise<unknown>

// How many charges in a hundred the processor refuses in bad weather, whatever the card.
const REFUSED = 15

/** The processor behind a network that loses requests, and answers, of every call there is. */
export function behindWeather(processor: payments.Processor, weather: Weather): payments.Processor {
  const lose = (what: string) => {
    throw new payments.ProcessorUnreachable(`${what} was lost`)
  }
  const through =
    (name: string, call: Call): Call =>
    async (...args) => {
      const { storm, chance } = weather
      const fate = storm > 0 ? chance.below(100) : 100
      if (fate < storm / 2) lose(`the request of ${name}`)
      const isRefused = name === 'charge' && storm > 0 && fate >= 100 - REFUSED
      if (isRefused) return { status: 'refused', reason: 'parameter_invalid' }
      const answer = await call(...args)
      if (fate < storm) lose(`the answer to ${name}`)
      return answer
    }
  const calls = Object.entries(processor).map(([name, part]) => [
    name,
    typeof part === 'function' && name !== 'declareRoutes' ? through(name, part as Call) : part,
  ])
  return Object.fromEntries(calls)
}
