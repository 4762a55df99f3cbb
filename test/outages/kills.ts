import assert from 'node:assert/strict'
import type { Clock } from '#platform/clock'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { handleEvents } from '#surfaces/processor-events/worker'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { ManualClock } from '../support/clock.ts'
import { createServerDatabase } from '../support/database.ts'
import { openTestService } from '../support/service.ts'
import { type FaultSuite, type Node, openCluster, SECRET_KEY } from './cluster.ts'
import type { Fault, FaultResult } from './fault.ts'
import { assertOnce, type KillSite, pointsOf, recover, startWork } from './kill-site.ts'
import { KILLED_WORK, type KilledWork, type Subject } from './killed-work.ts'
import { assertSound, openReader } from './sound.ts'

/** At how many of the steps of each work it is killed. */
const POINTS = 8

/** Who recovers: the same node or another one; in the third way, that other one is killed too. */
const WAYS = ['same node', 'other node', 'killed recovery'] as const
type Way = (typeof WAYS)[number]

/** Work killed at points along its steps, and recovered in three ways. */
export const KILL_FAULTS: readonly Fault[] = KILLED_WORK.map((work) => ({
  name: `kill: ${work.name}`,
  run: (suite) => killAlong(suite, work),
}))

/** One way of recovery, on a database of its own. */
interface Lane extends KillSite {
  way: Way
  /** The step in the middle of each point's recovery, from the first lane to the last. */
  middles: PromiseWithResolvers<number>[]
}

async function killAlong(suite: FaultSuite, work: KilledWork): Promise<FaultResult> {
  const { template, base_url, subjects, drop } = await prepare(suite, work)
  const middles = subjects.map(() => Promise.withResolvers<number>())
  try {
    const lanes = await Promise.allSettled(
      WAYS.map(async (way) => {
        const cluster = await openCluster({ ...suite, template })
        cluster.settings.BASE_URL = base_url
        const ahead = { ms: 0 }
        const clock: Clock = { now: () => new Date(Date.now() + ahead.ms) }
        const world = await openReader(cluster, clock)
        try {
          const lane = { work, way, cluster, world, ahead, middles }
          return await runLane(lane, subjects, suite.stride)
        } finally {
          if (way === 'same node') for (const { resolve } of middles) resolve(2)
          await world.db.close()
          await cluster.close()
        }
      }),
    )
    const counts = lanes.map((lane) => {
      if (lane.status === 'rejected') throw lane.reason
      return lane.value
    })
    const { steps, points } = counts[0]!
    const outcome = `at ${points} of ${steps} steps, recovered in ${WAYS.length} ways`
    return { count: points * WAYS.length, outcome }
  } finally {
    await drop()
  }
}

/** A database with the subjects of a work, for each lane to copy. */
async function prepare({ server_url, template }: FaultSuite, work: KilledWork) {
  const { url, drop } = await createServerDatabase(server_url, template)
  const service = await openTestService({
    db: await openPostgres(url.href, openLog('silent')),
    clock: new ManualClock(new Date()),
    settings: { SECRET_KEY },
  })
  const subjects = await work.prepare(service, POINTS + 1)
  await handleEvents(service.world)
  const { base_url } = service.world.config
  await service.close()
  return { template: url.pathname.slice(1), base_url, subjects, drop }
}

async function runLane(lane: Lane, [first, ...rest]: Subject[], stride: number) {
  let victim = await startNode(lane)
  const { steps, browser } = await startWork(lane, victim, first!)
  assert.ok(steps && steps.length > 1, 'the work has steps')
  await assertOnce(lane, victim, first!, browser)
  const points = pointsOf(steps, POINTS).filter((_, index) => index % stride === 0)
  let standby = lane.way === 'same node' ? undefined : startNode(lane)
  for (const [index, step] of points.entries()) {
    try {
      const other = await standby
      const subject = rest[index]!
      const { browser } = await startWork(lane, victim, subject, step)
      const recovering = other ?? (await startNode(lane))
      victim = await recoverBy(lane, recovering, index)
      await assertOnce(lane, victim, subject, browser)
      if (other) standby = startNode(lane)
    } catch (error) {
      const where = `${lane.way}, step ${step} of ${steps.length} (${steps[step - 1]})`
      throw new Error(`${where}: ${(error as Error).message}`, { cause: error })
    }
  }
  for (const node of [victim, await standby]) node?.process.kill('SIGKILL')
  await lane.cluster.start({ CLOCK_AHEAD_MS: String(lane.ahead.ms) })
  await assertSound(lane.cluster, { clock: lane.world.clock })
  return { steps: steps.length, points: points.length }
}

/** Recovers what was killed at a point; returns the node that did. */
async function recoverBy(lane: Lane, node: Node, index: number): Promise<Node> {
  const middle = lane.middles[index]!
  if (lane.way !== 'killed recovery') {
    const steps = await recover(lane, node)
    if (lane.way === 'same node') middle.resolve(Math.ceil(steps.length / 2))
    return node
  }
  await recover(lane, node, await middle.promise)
  const second = await startNode(lane)
  await recover(lane, second)
  return second
}

async function startNode({ cluster, ahead }: Lane): Promise<Node> {
  const PORT = String(await freePort())
  const CLOCK_AHEAD_MS = String(ahead.ms)
  const start = () => cluster.start({ PORT, CLOCK_AHEAD_MS, WITHOUT_JOBS: '1' })
  // On a busy machine a start may not reach the database in time, and is repeated.
  return await start().catch(start)
}
