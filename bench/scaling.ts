import { freePort } from '../scripts/throwaway-postgres.ts'
import { load, type Server, startServer } from './processes.ts'
import type { Requests } from './seed.ts'

/** The loads of `bench/run.ts` to compare: with the database, and without. */
const LOADS = ['validate', 'prices'] as const

interface ScalingFacts {
  env: Record<string, string>
  requests: Requests
  authorization: string
  log: string
  seconds: number
  rounds: number
}

/**
 * The rate of a node with two processes by that of one with one, both on any core, with the load
 * and the database beside them: medians of rounds taken in turn.
 */
export async function scaling(facts: ScalingFacts): Promise<Record<string, number>> {
  const nodes = [await startNode(facts, 1), await startNode(facts, 2)]
  const ratios: Record<string, number> = {}
  try {
    for (const name of LOADS) {
      const once = () => {
        const [one, two] = nodes.map(({ url }) =>
          load(url, facts.requests[name], facts.authorization, facts.seconds, 'any'),
        )
        return two!.rate / one!.rate
      }
      once()
      const sorted = Array.from({ length: facts.rounds }, once).sort((a, b) => a - b)
      ratios[name] = Math.round(sorted[Math.floor(sorted.length / 2)]! * 100) / 100
    }
  } finally {
    for (const { server } of nodes) await server.stop()
  }
  console.log('\ntwo processes, as a ratio to one')
  console.table(ratios)
  return ratios
}

async function startNode(
  { env, log }: ScalingFacts,
  workers: number,
): Promise<{ url: string; server: Server }> {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const own = { ...env, PORT: port, BASE_URL: url, WORKERS: String(workers) }
  return { url, server: await startServer('src/main.ts', own, `${url}/healthz`, log, 'any') }
}
