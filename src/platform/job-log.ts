import type { Database, Db } from '#platform/db'
import { recordFrom } from '#platform/record'
import { sql } from '#platform/sql'

/** The states of a job in the queue's own words, in the order in which staff look at them. */
export const JOB_STATES = [
  'failed',
  'retry',
  'active',
  'created',
  'cancelled',
  'completed',
] as const
export type JobState = (typeof JOB_STATES)[number]

/** A text from outside as a state of jobs; undefined if it is none. */
export function readJobState(text: string | undefined): JobState | undefined {
  return JOB_STATES.find((state) => state === text)
}

/** A job in the list. */
export interface ListedJob {
  /** A UUID. */
  id: string
  queue: string
  /** The schedule that it runs; null for other jobs. */
  schedule: string | null
  created_at: Date
  /** The same in microseconds, as the list is sorted by. */
  created_us: number
  /** When the next attempt is due; of a job that ended, when its last one was. */
  start_after: Date
  completed_at: Date | null
  retries: number
  retry_limit: number
  output: Record<string, unknown> | null
}

/** A job with its data. */
export interface LoggedJob extends ListedJob {
  /** A `JobState` of this release. */
  state: string
  data: Record<string, unknown> | null
  started_at: Date | null
}

/** The position of a job in the order of the list. */
export type JobCursor = Pick<ListedJob, 'created_us' | 'id'>

/** More jobs than this are not counted one by one. */
export const COUNTED_JOBS = 1000

// The queue's own work: it forwards schedules.
const OWN = sql`not like '\\_\\_pgboss%'`
const LISTED = sql`j.id, j.name as queue, j.data->>'schedule' as schedule,
  j.created_on as created_at,
  (extract(epoch from j.created_on) * 1000000)::bigint as created_us, j.start_after,
  j.completed_on as completed_at, j.retry_count as retries, j.retry_limit, j.output`

/**
 * Creates the index that the list of jobs reads, on the queue's own table, which must exist.
 * Concurrent processes wait for each other.
 */
export async function indexJobs(db: Database): Promise<void> {
  const known = "select to_regclass('pgboss.purser_job_list') is not null as known"
  // Creating it locks the table, even where it exists.
  if (((await db.raw(known)).rows as { known: boolean }[])[0]?.known) return
  await db.tx(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('purser_job_list', 18))`)
    // A connection that looked before may still think that it is missing, until it locks the table.
    await tx.raw(
      'create index if not exists purser_job_list on pgboss.job (state, name, created_on, id)',
    )
  })
}

/** Jobs in a state, latest first; of one queue, or of all. */
export async function listJobs(
  db: Db,
  facts: {
    state: JobState
    queue?: string | undefined
    below?: JobCursor | undefined
    limit: number
  },
): Promise<ListedJob[]> {
  const { state, queue, below, limit } = facts
  const ofQueue = queue === undefined ? sql`` : sql`and q.name = ${queue}`
  // Each queue's part is read from the index, and no more than a page of it.
  return await db.rows<ListedJob>(sql`select ${LISTED}
    from pgboss.queue q cross join lateral (
      select * from pgboss.job
      where state = ${state}::pgboss.job_state and name = q.name
        and (created_on, id) < (coalesce(timestamptz 'epoch'
            + ${below?.created_us ?? null}::bigint * interval '1 microsecond', 'infinity'),
          coalesce(${below?.id ?? null}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by created_on desc, id desc limit ${limit}) j
    where q.name ${OWN} ${ofQueue}
    order by j.created_on desc, j.id desc limit ${limit}`)
}

/** How many jobs are in each state, up to `COUNTED_JOBS` and one. */
export async function countJobs(db: Db): Promise<Record<JobState, number>> {
  const counts = await db.rows<{ state: string; count: number }>(sql`select s.state, (
      select count(*) from (select 1 from pgboss.job j
        where j.state = s.state::pgboss.job_state and j.name ${OWN}
        order by j.name, j.created_on limit ${COUNTED_JOBS + 1}) few) as count
    from unnest(${[...JOB_STATES]}::text[]) s (state)`)
  const byState = new Map(counts.map(({ state, count }) => [state, count]))
  return recordFrom(JOB_STATES, (state) => byState.get(state) ?? 0)
}

/** The queues that jobs are sent to, by name. */
export async function jobQueues(db: Db): Promise<string[]> {
  const queues = await db.rows<{ name: string }>(
    sql`select name from pgboss.queue where name ${OWN} order by name`,
  )
  return queues.map(({ name }) => name)
}

/** A job of a queue. */
export async function findJob(
  db: Db,
  { queue, id }: { queue: string; id: string },
): Promise<LoggedJob | undefined> {
  return await db.maybe<LoggedJob>(sql`select ${LISTED}, j.state::text as state, j.data,
      j.started_on as started_at
    from pgboss.job j where j.name = ${queue} and j.id = ${id}::uuid and j.name ${OWN}`)
}

/** The state of a job, locked until the transaction ends; undefined if there is no such job. */
export async function lockJob(
  tx: Db,
  { queue, id }: { queue: string; id: string },
): Promise<string | undefined> {
  const job = await tx.maybe<{ state: string }>(sql`select j.state::text as state
    from pgboss.job j where j.name = ${queue} and j.id = ${id}::uuid for update`)
  return job?.state
}

/** A schedule with its latest run. */
export interface LoggedSchedule {
  name: string
  cron: string
  /** The job of the latest run; null: none in the last days. */
  job_id: string | null
  state: string | null
  run_at: Date | null
}

/** The schedules of the service, by name. */
export async function listSchedules(db: Db): Promise<LoggedSchedule[]> {
  return await db.rows<LoggedSchedule>(sql`select s.key as name, s.cron, l.id as job_id,
      l.state, l.run_at
    from pgboss.schedule s left join lateral (
      select latest.id, latest.state::text as state,
        coalesce(latest.started_on, latest.created_on) as run_at
      from unnest(array['active', 'retry', 'completed', 'failed']::pgboss.job_state[]) r (state)
        cross join lateral (select * from pgboss.job j
          where j.state = r.state and j.name = s.name and j.singleton_key = s.key
          order by j.created_on desc limit 1) latest
      order by latest.created_on desc limit 1) l on true
    where s.name ${OWN} order by s.key`)
}
