import { freePort } from '../../scripts/throwaway-postgres.ts'
import { type Cluster, type FaultSuite, type Node, openCluster } from './cluster.ts'
import type { Fault, FaultResult } from './fault.ts'
import { type Load, startLoad } from './load.ts'
import { lacksNginx, type Nginx, openNginx } from './nginx.ts'
import { assertSound } from './sound.ts'

const ROUNDS = 2

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
    run: (suite) =>
      behindNginx(suite, async ({ cluster, ports, nodes, load }) => {
        for (let kill = 0; kill < 2 * ROUNDS; kill++) {
          const at = kill % 2
          nodes[at]!.process.kill('SIGKILL')
          await nodes[at]!.exit
          await load.purchases(1)
          nodes[at] = await cluster.start({ PORT: String(ports[at]) })
        }
        return 2 * ROUNDS
      }),
  },
]

async function behindNginx(
  suite: FaultSuite,
  cause: (nodes: TwoNodes) => Promise<number>,
): Promise<FaultResult> {
  const cluster = await openCluster(suite)
  const ports = [await freePort(), await freePort()] as const
  let nginx: Nginx | undefined
  let load: Load | undefined
  try {
    const nodes: [Node, Node] = [
      await cluster.start({ PORT: String(ports[0]) }),
      await cluster.start({ PORT: String(ports[1]) }),
    ]
    nginx = await openNginx(cluster.front_port, ports)
    load = startLoad(cluster)
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
