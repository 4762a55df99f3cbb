import type { JobResult, PgBoss } from 'pg-boss'
import { z } from 'zod'

/** Work that runs again and again, by the clock of the whole service. */
export interface Schedule {
  /** Lower case, with hyphens: the name of its jobs in the tables. */
  name: string
  /** When it runs, in UTC: minute, hour, day of the month, month, day of the week. */
  cron: string
  work: () => Promise<void>
}

/** The data of a job: the schedule that is due, and the cause of this run. */
const Occurrence = z.object({ schedule: z.string(), cause: z.enum(['clock', 'start']) })

const QUEUE = 'schedules'
/** How many schedules one process works on at a time. */
const PARALLEL = 2
const POLL_SECONDS = 5

/**
 * A job waits or runs at most once by schedule, in whatever process: the next occurrence is dropped
 * if the last one has not ended. A failed one is retried after 1, 2, 4, … and then every 60
 * seconds, for an hour.
 */
const RUNS = {
  retryLimit: 60,
  retryDelay: 1,
  retryDelayMax: 60,
  retryBackoff: true,
  // Only a limit for work that never ends: a killed process is noticed by its heartbeat.
  expireInSeconds: 6 * 3600,
  // The history: three days of it.
  deleteAfterSeconds: 3 * 86_400,
}

/** The intervals at which each process asks whether an occurrence is due, and forwards it. */
export const SCHEDULE_INTERVALS = {
  cronMonitorIntervalSeconds: 30,
  cronWorkerIntervalSeconds: 5,
}

/** Does the work of a job by its id and its name, and reports how it ended. */
export type Settle = (id: string, name: string, work: () => Promise<void>) => Promise<JobResult>

/** Creates the queue of all schedules. */
export async function createScheduleQueue(boss: PgBoss, heartbeat_seconds: number): Promise<void> {
  const options = { ...RUNS, heartbeatSeconds: heartbeat_seconds }
  await boss.createQueue(QUEUE, { ...options, policy: 'exclusive' })
  await boss.updateQueue(QUEUE, options)
}

/**
 * Starts the work on these schedules, whose jobs one part of the queue stores and the other
 * forwards; `settle` runs the work of a job and reports how it ended. Call it again if it throws.
 */
export async function startSchedules(
  { boss, scheduler }: { boss: PgBoss; scheduler: PgBoss },
  schedules: readonly Schedule[],
  settle: Settle,
): Promise<void> {
  // Written first, as the clock looks at once.
  await writeSchedules(boss, schedules)
  try {
    await scheduler.start()
    await workOnSchedules(scheduler, schedules, settle)
  } catch (error) {
    await scheduler.stop({ close: false })
    throw error
  }
}

/** Writes these schedules in place of those of earlier releases, and has each run once now. */
async function writeSchedules(boss: PgBoss, schedules: readonly Schedule[]): Promise<void> {
  const names = new Set(schedules.map(({ name }) => name))
  for (const { key } of await boss.getSchedules(QUEUE)) {
    if (!names.has(key)) await boss.unschedule(QUEUE, key)
  }
  for (const { name, cron } of schedules) {
    const once = { singletonKey: name }
    // Without a start, nothing else makes up for what fell due during an outage of the database.
    const options = { ...once, key: name, missed: 'once' } as const
    await boss.schedule(QUEUE, cron, occurrenceOf(name, 'clock'), options)
    await boss.send(QUEUE, occurrenceOf(name, 'start'), once)
  }
}

async function workOnSchedules(
  boss: PgBoss,
  schedules: readonly Schedule[],
  settle: Settle,
): Promise<void> {
  const byName = new Map(schedules.map((schedule) => [schedule.name, schedule]))
  await boss.work(
    QUEUE,
    { pollingIntervalSeconds: POLL_SECONDS, localConcurrency: PARALLEL, perJobResults: true },
    (jobs) =>
      Promise.all(
        jobs.map(({ id, data }) => {
          const schedule = byName.get(Occurrence.safeParse(data).data?.schedule ?? '')
          // Sent by another release, or before a schedule was removed.
          if (!schedule) return { id, status: 'completed', output: { message: 'no such schedule' } }
          return settle(id, schedule.name, schedule.work)
        }),
      ),
  )
}

function occurrenceOf(
  schedule: string,
  cause: z.infer<typeof Occurrence>['cause'],
): z.infer<typeof Occurrence> {
  return { schedule, cause }
}
