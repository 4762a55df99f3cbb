import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../scripts/throwaway-postgres.ts'
import { limitShares, workersOf } from './core-share.ts'
import { CONNECTIONS, load, type Server, startServer } from './processes.ts'
import type { Requests } from './seed.ts'
import { warmUp } from './warm-up.ts'

/** The loads of `bench/run.ts` to compare: three with the database, and one without. */
const LOADS = ['validate', 'orders', 'entitlement', 'prices'] as const
/** The share of a core that each process may use; the database and the load use the rest. */
const SHARE_PERCENT = 30
const START_WITHIN_MS = 60_000

interface ScalingFacts {
  env: Record<string, string>
  requests: Requests
  authorization: string
  log: string
  seconds: number
  rounds: number
}

/**
 * The rate of a node with two processes as a ratio to a node with one: medians of alternating
 * rounds. Each process may use the same share of a core. Otherwise the second one would take time
 * from the database and the load, which run on the same machine. Each process has the same number
 * of connections, because a second process is for more callers: with half of them, half as many
 * lookups would share a statement.
 */
export async function scaling(facts: ScalingFacts): Promise<Record<string, number>> {
  const nodes = [await startNode(facts, 1), await startNode(facts, 2)]
  const pids = nodes.flatMap(({ server }) => workersOf(server.pid))
  const limited = limitShares(pids, SHARE_PERCENT)
  const ratios: Record<string, number> = {}
  try {
    for (const name of LOADS) {
      const round = ({ url, processes }: MeasuredNode) => {
        const { authorization, seconds } = facts
        const connections = CONNECTIONS * processes
        const requests = facts.requests[name]
        return load({ url, requests, authorization, seconds, connections, core: 'any' })
      }
      const ratio = () => {
        const [one, two] = nodes.map(round)
        return two!.rate / one!.rate
      }
      for (const node of nodes) warmUp(() => round(node))
      const sorted = Array.from({ length: facts.rounds }, ratio).sort((a, b) => a - b)
      ratios[name] = Math.round(sorted[Math.floor(sorted.length / 2)]! * 100) / 100
    }
  } finally {
    for (const { server } of nodes) await server.stop()
    limited?.release()
  }
  const share = limited ? `${SHARE_PERCENT} % of a core each` : 'unlimited, on shared cores'
  console.log(`\ntwo processes, as a ratio to one (${share})`)
  console.table(ratios)
  return ratios
}

interface MeasuredNode {
  url: string
  processes: number
  server: Server
}

async function startNode({ env, log }: ScalingFacts, processes: number): Promise<MeasuredNode> {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const own = { ...env, PORT: port, BASE_URL: url, WORKERS: String(processes) }
  const server = await startServer('src/main.ts', own, `${url}/healthz`, log, 'any')
  if (processes > 1) await untilAllServe(url, log)
  return { url, processes, server }
}

/**
 * A node responds as soon as its first process does, and prints its URL once all do. The log may
 * have lines of other nodes.
 */
async function untilAllServe(url: string, log: string): Promise<void> {
  const until = performance.now() + START_WITHIN_MS
  while (!readFileSync(log, 'utf8').includes(`Purser is ready at ${url} (`)) {
    if (performance.now() > until) throw new Error(`not all processes started; see ${log}`)
    await sleep(100)
  }
}
