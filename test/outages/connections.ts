import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { readiness, terminateConnections, until, untilReady } from './cluster.ts'
import type { Fault } from './fault.ts'
import type { startLoad } from './load.ts'
import { underLoad } from './under-load.ts'

const ROUNDS = 5
const SILENCES = 2

/** Connections to PostgreSQL that are cut, or that nothing answers. */
export const CONNECTION_FAULTS: readonly Fault[] = [
  {
    name: 'postgres: connections terminated',
    run: (suite) =>
      underLoad(suite, {}, async ({ cluster, load }) => {
        for (let round = 0; round < ROUNDS; round++) {
          await terminateConnections(cluster.database_url)
          await load.purchases(1)
        }
        return ROUNDS
      }),
  },
  {
    name: 'postgres: connections black-holed',
    async run(suite) {
      const { hostname: host, port } = new URL(suite.server_url)
      const proxy = await openTcpProxy({ host, port: Number(port) })
      try {
        return await underLoad(suite, { database_port: proxy.port }, async ({ node, load }) => {
          for (let round = 0; round < SILENCES; round++) {
            proxy.silence(true)
            await refusedAWhile(node.url, load)
            proxy.silence(false)
            await untilReady(node.url)
            await load.purchases(1)
          }
          return SILENCES
        })
      } finally {
        await proxy.close()
      }
    },
  },
  {
    name: 'postgres: server stalled (SIGSTOP)',
    run: (suite) =>
      underLoad(suite, {}, async ({ cluster, node, load }) => {
        for (let round = 0; round < SILENCES; round++) {
          const processes = serverProcesses(Number(cluster.database_url.port))
          for (const pid of processes) process.kill(pid, 'SIGSTOP')
          try {
            await refusedAWhile(node.url, load)
          } finally {
            for (const pid of processes) process.kill(pid, 'SIGCONT')
          }
          await untilReady(node.url)
          await load.purchases(1)
        }
        return SILENCES
      }),
  },
]

/** Waits until a node is not ready, and refuses requests. */
async function refusedAWhile(url: string, load: ReturnType<typeof startLoad>): Promise<void> {
  await until('it is not ready', async () => (await readiness(url)) === 503)
  const refused = () => load.answers.filter(({ status }) => status === 503).length
  const seen = refused()
  await until('requests are refused', () => refused() > seen + 5)
}

/** The process that listens on a port of PostgreSQL, and its children. */
function serverProcesses(port: number): number[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, parent, args]) => ({ pid: Number(pid), parent: Number(parent), args: args! }))
  const server = listed.find(({ args }) => args.includes(`port=${port} `) && /postgres /.test(args))
  assert.ok(server, 'the server of this run is among the processes')
  return [server, ...listed.filter(({ parent }) => parent === server.pid)].map(({ pid }) => pid)
}
