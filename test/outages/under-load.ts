import assert from 'node:assert/strict'
import { type Cluster, type FaultSuite, type Node, openCluster } from './cluster.ts'
import type { FaultResult } from './fault.ts'
import { type Load, startLoad } from './load.ts'
import { assertClear, assertSound } from './sound.ts'

interface Conditions {
  settings?: Record<string, string>
  /** Another port under which the node reaches its database: a proxy's. */
  database_port?: number
}

/** What a fault acts on. */
export interface ClusterUnderLoad {
  cluster: Cluster
  node: Node
  load: Load
}

/**
 * Runs one node under load while `cause` breaks something as often as it returns; then asserts
 * that the node survived, that every answer was clear, and that everything is sound.
 */
export async function underLoad(
  suite: FaultSuite,
  { settings = {}, database_port }: Conditions,
  cause: (cluster: ClusterUnderLoad) => Promise<number>,
): Promise<FaultResult> {
  const cluster = await openCluster(suite)
  try {
    const through = new URL(cluster.database_url)
    if (database_port) through.port = String(database_port)
    const node = await cluster.start({ DATABASE_URL: through.href, ...settings })
    const load = startLoad(cluster)
    await load.purchases(1)
    let count: number
    try {
      count = await cause({ cluster, node, load })
    } catch (error) {
      load.abort()
      throw error
    }
    await load.stop()
    assert.equal(node.process.exitCode, null, node.output())
    assertClear(load.answers)
    await assertSound(cluster, load)
    const refused = load.answers.filter(({ status }) => status === 503).length
    const clear = refused === 0 ? '' : `, ${refused} clear 503s`
    const outcome = `${load.keys.size} purchases, ${load.answers.length} answers${clear}`
    return { count, outcome }
  } finally {
    await cluster.close()
  }
}
