import { type JobResult, PgBoss } from 'pg-boss'
import { afterCommit, type Database, type Db } from '#platform/db'
import type { Log } from '#platform/log'

/** Durable background work. A job sent inside a transaction exists only if that commits. */
export interface Jobs {
  /** Declares a queue and its worker; call before `start`. A job that throws is retried. */
  handle<Data extends object>(queue: Queue, work: (data: Data) => Promise<void>): void
  /**
   * Queues a job as part of the caller's transaction; an `urgent` one never waits behind others.
   * This process looks for it as soon as that commits, and other processes at their next poll.
   */
  send(db: Db, queue: Queue, data: object, options?: { urgent?: boolean }): Promise<void>
  /** Runs `work` every `seconds` in this process, never twice at once, and once at the start. */
  every(name: string, seconds: number, work: () => Promise<void>): void
  /** Creates the declared queues, so that jobs can be sent; none is processed yet. */
  open(): Promise<void>
  /** Starts processing the queues and the periodic tasks. */
  start(): Promise<void>
  /** Lets running jobs end and starts no new ones. */
  stop(): Promise<void>
}

export interface Queue {
  name: string
  retries: number
  /** Seconds before the first retry; each later one waits twice as long. */
  retry_seconds: number
  /** How many of its jobs one process works on at a time; absent: one. */
  parallel?: number
}

/** A job of a process that was killed is noticed after this time, and retried. */
const HEARTBEAT_SECONDS = 20
const SUPERVISE_SECONDS = 10

/** Each queue has two lanes with workers of their own. */
const lanesOf = ({ name }: Queue) => [name, urgentLane(name)]
const urgentLane = (name: string) => `${name}-urgent`

const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** The queue is stored in the service's own database; `open` creates its tables. */
export function openJobs(db: Database, log: Log): Jobs {
  const boss = bossOn(db)
  boss.on('error', (error) => log.error({ error }, 'job queue failed'))
  const settle = async (id: string, work: () => Promise<void>): Promise<JobResult> => {
    try {
      await work()
      return { id, status: 'completed' }
    } catch (error) {
      log.error({ error, job_id: id }, 'job failed; will retry')
      return { id, status: 'failed', output: { message: String(error) } }
    }
  }
  const declared = new Map<string, { queue: Queue; work: (data: object) => Promise<void> }>()
  const workers = new Map<string, string>()
  const periodic: { name: string; seconds: number; work: () => Promise<void> }[] = []
  const stops: (() => Promise<void>)[] = []

  return {
    handle(queue, work) {
      declared.set(queue.name, { queue, work: work as (data: object) => Promise<void> })
    },
    async send(tx, { name }, data, { urgent = false } = {}) {
      const lane = urgent ? urgentLane(name) : name
      await boss.send(lane, data, { db: { executeSql: tx.raw } as never })
      afterCommit(() => {
        const worker = workers.get(lane)
        if (worker) boss.notifyWorker(worker)
      })
    },
    every(name, seconds, work) {
      periodic.push({ name, seconds, work })
    },
    async open() {
      await boss.start()
      for (const { queue } of declared.values()) {
        await makeQueue(boss, queue)
      }
    },
    async start() {
      for (const { queue, work } of declared.values()) {
        const batches = { batchSize: queue.parallel ?? 1, perJobResults: true as const }
        for (const lane of lanesOf(queue)) {
          const worker = await boss.work(lane, batches, async (jobs) => {
            const results = await Promise.all(
              jobs.map(({ id, data }) => settle(id, () => work(data as object))),
            )
            // A full batch suggests more jobs: without this, each batch would wait for the next
            // poll.
            boss.notifyWorker(worker)
            return results
          })
          workers.set(lane, worker)
        }
      }
      for (const task of periodic) stops.push(repeat(task, log))
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
      await boss.stop({ graceful: true, close: false, timeout: 10_000 })
    },
  }
}

async function makeQueue(boss: PgBoss, queue: Queue): Promise<void> {
  const options = {
    retryLimit: queue.retries,
    retryDelay: queue.retry_seconds,
    retryBackoff: true,
    heartbeatSeconds: HEARTBEAT_SECONDS,
  }
  for (const lane of lanesOf(queue)) {
    await boss.createQueue(lane, options)
    // A queue of an earlier release gets the options of this one.
    await boss.updateQueue(lane, options)
    // A queue is looked up when it is first used, which must not be inside a transaction.
    await boss.findJobs(lane, { id: NO_JOB })
  }
}

function bossOn(db: Database): PgBoss {
  return new PgBoss({
    db: { executeSql: (text, values) => db.raw(text, values) as Promise<{ rows: never[] }> },
    ...(db.engine === 'embedded' ? { backend: 'pglite' as const } : {}),
    // Supervision returns the jobs of a process that crashed to the queue.
    supervise: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    schedule: false,
  })
}

function repeat(task: { name: string; seconds: number; work: () => Promise<void> }, log: Log) {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const run = () => {
    running = task
      .work()
      .catch((error) => log.error({ error, task: task.name }, 'periodic task failed'))
      .then(() => {
        if (!stopped) timer = setTimeout(run, task.seconds * 1000)
      })
  }
  run()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
