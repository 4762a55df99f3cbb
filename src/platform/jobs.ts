import type { JobResult, PgBoss } from 'pg-boss'
import type { z } from 'zod'
import { afterCommit, type Database } from '#platform/db'
import { type JobActions, jobActions } from '#platform/job-actions'
import { indexJobs } from '#platform/job-log'
import type { Log } from '#platform/log'
import { bossOn, createTables, lookUpQueues } from '#platform/pg-boss'
import { type Poll, repeat } from '#platform/poll'
import {
  createScheduleQueue,
  type Schedule,
  type Settle,
  startSchedules,
} from '#platform/schedules'
import { RowsSql } from '#platform/sql'
import { type Observer, observed } from '#platform/telemetry/observer'
import type { Writes } from '#platform/write-together'

/** Durable background work. A job sent inside a transaction exists only if that commits. */
export interface Jobs extends JobActions {
  /**
   * Declares a queue and its worker; call before `start`. A job that throws is retried, and one
   * with other data than the queue's schema describes, because another release may know it.
   */
  handle<Data extends object>(queue: Queue<Data>, work: (data: Data) => Promise<void>): void
  /**
   * Queues a job as part of the caller's transaction; an `urgent` one never waits behind others.
   * This process looks for it as soon as that commits, and other processes at their next poll.
   */
  send<Data extends object>(
    db: Writes,
    queue: Queue<Data>,
    data: Data,
    options?: { urgent?: boolean },
  ): Promise<void>
  /** Queues several jobs of a queue, as `send` queues one. */
  sendAll<Data extends object>(
    db: Writes,
    queue: Queue<Data>,
    data: Data[],
    options?: { urgent?: boolean },
  ): Promise<void>
  /**
   * Runs `work` at the times of a cron expression (UTC) in one process of the service, never twice
   * at once, and once after each start. A run that throws is retried, and one that fell due while
   * the database was away follows. For periods of a minute or more, as an occurrence is noticed up
   * to 40 seconds late.
   */
  schedule(name: string, cron: string, work: () => Promise<void>): void
  /**
   * Runs `work` every `seconds` in this process, never twice at once, and once at the start. For
   * periods of seconds: several processes ask at the same time. One `in_each_process` also runs
   * where no other background work does.
   */
  poll(
    name: string,
    seconds: number,
    work: () => Promise<void>,
    options?: { in_each_process?: boolean },
  ): void
  /** When a cron expression (UTC) is due next. */
  nextRun(cron: string, now: Date): Date | undefined
  /** Creates the declared queues, so that jobs can be sent; none is processed yet. */
  open(): Promise<void>
  /**
   * Starts processing the queues, the schedules and the polls, or the polls of each process. Call
   * it again if it throws: nothing is started twice.
   */
  start(): Promise<void>
  /** Whether this process works on the queues. */
  isWorking(): boolean
  /** Lets running jobs end and starts no new ones. */
  stop(): Promise<void>
}

export interface Queue<Data extends object> extends QueueSettings {
  /** The schema of its jobs' data, which is stored as JSON, possibly by another release. */
  schema: z.ZodType<Data>
}

interface QueueSettings {
  name: string
  retries: number
  /** Seconds before the first retry; each later one waits twice as long. */
  retry_seconds: number
  /** How many of its jobs one process works on at a time; absent: one. */
  parallel?: number
  /** How long one of its jobs may take before it counts as failed; absent: a quarter of an hour. */
  max_seconds?: number
}

interface JobOptions {
  works?: boolean
  observer?: Observer | undefined
}

interface Declared {
  queue: QueueSettings
  work: (data: unknown) => Promise<void>
}

/** Only a limit for work that never ends. */
const MAX_SECONDS = 15 * 60
/** A job of a process that was killed is noticed after this time, and retried. */
const HEARTBEAT_SECONDS = 20

/** Each queue has two lanes with workers of their own. */
const lanesOf = ({ name }: QueueSettings) => [name, urgentLane(name)]
const urgentLane = (name: string) => `${name}-urgent`

/**
 * The queue is stored in the service's own database; `open` creates its tables. A process that does
 * not work on the jobs can send them, and other processes work on them. Each job, schedule and poll
 * is reported to the observer by its name.
 */
export function openJobs(db: Database, log: Log, options: JobOptions = {}): Jobs {
  const { works = true, observer } = options
  const boss = bossOn(db, log, { migrate: true })
  // Its clock runs only where jobs are processed, so it starts later than the queues.
  const scheduler = bossOn(db, log, { schedule: true, supervise: true })
  const settle: Settle = (id, job, work) => run(log, id, job, observed('job', job, work, observer))
  const declared = new Map<string, Declared>()
  const workers = new Map<string, string>()
  const schedules: Schedule[] = []
  const polls: Poll[] = []
  const stops: (() => Promise<void>)[] = []
  const wake = (lane: string) => {
    const worker = workers.get(lane)
    if (worker) boss.notifyWorker(worker)
  }
  const sendAll = sender(boss, wake)

  return {
    ...jobActions(boss, wake),
    handle(queue, work) {
      declared.set(queue.name, { queue, work: async (data) => work(queue.schema.parse(data)) })
    },
    send: (tx, queue, data, options) => sendAll(tx, queue, [data], options),
    sendAll,
    nextRun(cron, now) {
      return boss.previewSchedule(cron, { from: now, count: 1 })[0]
    },
    schedule(name, cron, work) {
      schedules.push({ name, cron, work })
    },
    poll(name, seconds, work, { in_each_process = false } = {}) {
      if (!works && !in_each_process) return
      polls.push({ name, seconds, work: observed('poll', name, work, observer) })
    },
    async open() {
      await createTables(boss)
      for (const { queue } of declared.values()) await makeQueue(boss, queue)
      await createScheduleQueue(boss, HEARTBEAT_SECONDS)
      await indexJobs(db)
      await lookUpQueues(boss)
    },
    async start() {
      // What needs the database comes first, so that a start that failed can be repeated.
      if (works) await startSchedules({ boss, scheduler }, schedules, settle)
      for (const each of polls) stops.push(repeat(each, log))
      if (!works) return
      for (const { queue, work } of declared.values()) {
        const batches = { batchSize: queue.parallel ?? 1, perJobResults: true as const }
        for (const lane of lanesOf(queue)) {
          const worker = await boss.work(lane, batches, async (jobs) => {
            const results = await Promise.all(
              jobs.map(({ id, data }) => settle(id, queue.name, () => work(data))),
            )
            // A full batch suggests more jobs, which would wait for the next poll.
            if (jobs.length === batches.batchSize) boss.notifyWorker(worker)
            return results
          })
          workers.set(lane, worker)
        }
      }
    },
    isWorking: () => workers.size > 0,
    async stop() {
      workers.clear()
      await Promise.all(stops.map((stop) => stop()))
      const gracefully = { graceful: true, close: false, timeout: 10_000 }
      await Promise.all([scheduler.stop(gracefully), boss.stop(gracefully)])
    },
  }
}

async function makeQueue(boss: PgBoss, queue: QueueSettings): Promise<void> {
  const options = {
    retryLimit: queue.retries,
    retryDelay: queue.retry_seconds,
    retryBackoff: true,
    expireInSeconds: queue.max_seconds ?? MAX_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
  }
  for (const lane of lanesOf(queue)) {
    await boss.createQueue(lane, options)
    // A queue of an earlier release gets the options of this one.
    await boss.updateQueue(lane, options)
  }
}

/** Does a job; a failure is logged and reported, so that the job is retried. */
async function run(
  log: Log,
  id: string,
  job: string,
  work: () => Promise<void>,
): Promise<JobResult> {
  try {
    await work()
    return { id, status: 'completed' }
  } catch (error) {
    log.error({ error, job, job_id: id }, 'job failed; will retry')
    return { id, status: 'failed', output: { message: String(error) } }
  }
}

/** Adds jobs, and looks for them once they are committed. */
function sender(boss: PgBoss, wake: (lane: string) => void): Jobs['sendAll'] {
  return async (writes, { name }, data, { urgent = false } = {}) => {
    const lane = urgent ? urgentLane(name) : name
    const added = data.map((each) => ({ data: each }))
    const executeSql = async (text: string, values: unknown[] = []) => {
      await writes.run(new RowsSql(text, values, added.length, joinJobs))
      return { rows: [] }
    }
    await boss.insert(lane, added, { db: { executeSql } as never })
    afterCommit(() => wake(lane))
  }
}

/** The queue's statement takes an array of jobs as its only value, in JSON. */
function joinJobs(values: unknown[][]): unknown[] {
  return [JSON.stringify(values.flatMap(([jobs]) => JSON.parse(String(jobs)) as unknown[]))]
}
