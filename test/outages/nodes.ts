import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import {
  type Cluster,
  type FaultSuite,
  type Node,
  openCluster,
  readiness,
  type StartOptions,
  until,
} from './cluster.ts'
import type { Fault, FaultResult } from './fault.ts'
import { type Load, startLoad } from './load.ts'
import { lacksNginx, type Nginx, openNginx } from './nginx.ts'
import {
  lacksReleases,
  migrateTo,
  type NextRelease,
  nextRelease,
  previousRelease,
} from './releases.ts'
import { assertSound } from './sound.ts'

const ROUNDS = 2
const RESTARTS = 3
const SIDE_BY_SIDE = 20
/** A node that runs looks every ten seconds whether it fits the database. */
const RELEASE_CHECKED_MS = 11_500
const QUIET_MS = 1_000
/** The service itself, whose log says what it answered. */
const MAIN = { file: 'src/main.ts' }
const AS_RUN = { LOG_LEVEL: 'info' }

/** Two nodes behind nginx, under load. */
interface TwoNodes {
  cluster: Cluster
  ports: readonly [number, number]
  nodes: [Node, Node]
  nginx: Nginx
  load: Load
}

/** Several nodes: killed, restarted in turn, and of two releases. */
export const NODE_FAULTS: readonly Fault[] = [
  {
    name: 'nodes: two, killed in turn',
    skip: lacksNginx,
    run: (suite) => behindNginx(suite, MAIN, killInTurn),
  },
  {
    name: 'nodes: restarted in turn',
    skip: lacksNginx,
    run: (suite) => behindNginx(suite, MAIN, restartInTurn),
  },
  {
    name: 'nodes: two releases',
    skip: () => lacksNginx() ?? lacksReleases(),
    async run(suite) {
      const [previous, next] = [previousRelease(), nextRelease()]
      try {
        const old = { ...MAIN, folder: previous.folder }
        const { outcome, count } = await behindNginx(suite, old, (nodes) => upgrade(nodes, next))
        return { count, outcome: `from ${previous.commit?.slice(0, 7)}: ${outcome}` }
      } finally {
        previous.remove()
        next.remove()
      }
    },
  },
]

async function killInTurn({ cluster, ports, nodes, load }: TwoNodes): Promise<number> {
  for (let kill = 0; kill < 2 * ROUNDS; kill++) {
    const at = kill % 2
    nodes[at]!.process.kill('SIGKILL')
    await nodes[at]!.exit
    await load.purchases(1)
    nodes[at] = await cluster.start({ PORT: String(ports[at]), ...AS_RUN }, MAIN)
    await untilAnswering(nodes[at]!)
  }
  return 2 * ROUNDS
}

/** One after another, as docs/operate/nodes.md says: no request fails. */
async function restartInTurn({ cluster, ports, nodes, load }: TwoNodes): Promise<number> {
  for (let restart = 0; restart < 2 * RESTARTS; restart++) {
    const at = restart % 2
    await stop(nodes[at]!)
    nodes[at] = await cluster.start({ PORT: String(ports[at]), ...AS_RUN }, MAIN)
    await untilAnswering(nodes[at]!)
    await load.purchases(1)
  }
  assert.deepEqual(failures(load), [], 'no request fails')
  return 2 * RESTARTS
}

/** As docs/operate/upgrades.md says: the migrations, then one node after another. */
async function upgrade(
  { cluster, ports, nodes, nginx, load }: TwoNodes,
  next: NextRelease,
): Promise<number> {
  await migrateTo(next, cluster.settings)
  await load.purchases(2)
  await pause(RELEASE_CHECKED_MS)
  for (const { url } of nodes) assert.equal(await readiness(url), 200, 'it fits the old release')
  const [one, two] = [await freePort(), await freePort()]
  const start = (port: number) =>
    cluster.start({ PORT: String(port), ...AS_RUN }, { ...MAIN, folder: next.folder })

  const first = await start(one)
  nginx.route([ports[0], one])
  await untilAnswering(first)
  await stopIdle(nodes[1])
  const before = answered(nodes[0])
  await load.purchases(SIDE_BY_SIDE)
  assert.ok(answered(nodes[0]) > before, 'both releases answer')

  const second = await start(two)
  nginx.route([one, two])
  await untilAnswering(second)
  await stopIdle(nodes[0])
  await load.purchases(2)
  assert.deepEqual(failures(load), [], 'no request fails')
  return next.migrations.length
}

/** Stops a node as an operator does. */
async function stop(node: Node): Promise<void> {
  node.process.kill('SIGTERM')
  assert.equal(await node.exit, 0, node.output())
}

/** Stops a node that the proxy no longer names, after its last answer. */
async function stopIdle(node: Node): Promise<void> {
  let count: number
  do {
    count = answered(node)
    await pause(QUIET_MS)
  } while (answered(node) > count)
  await stop(node)
}

/** How many requests a node has answered, by its log. */
const answered = (node: Node) => node.output().split('"answered"').length - 1

/** Waits until the proxy sends requests to a node. */
async function untilAnswering(node: Node): Promise<void> {
  await until('the proxy sends requests to a node', () => answered(node) > 0)
}

async function behindNginx(
  suite: FaultSuite,
  options: StartOptions,
  cause: (nodes: TwoNodes) => Promise<number>,
): Promise<FaultResult> {
  const cluster = await openCluster(suite)
  const ports = [await freePort(), await freePort()] as const
  let nginx: Nginx | undefined
  let load: Load | undefined
  try {
    const start = (port: number) => cluster.start({ PORT: String(port), ...AS_RUN }, options)
    const nodes: [Node, Node] = [await start(ports[0]), await start(ports[1])]
    nginx = await openNginx(cluster.front_port, ports)
    load = startLoad(cluster, { readers: 1 })
    await load.purchases(1)
    const count = await cause({ cluster, ports, nodes, nginx, load })
    await load.stop()
    await assertSound(cluster, load)
    const failed = failures(load).length
    const outcome = `${load.keys.size} purchases, ${load.answers.length} answers, ${failed} failed`
    return { count, outcome }
  } finally {
    load?.abort()
    await nginx?.close()
    await cluster.close()
  }
}

const failures = ({ answers }: Load) =>
  answers.filter(({ status }) => status === 0 || status >= 500)
