import { PgBoss } from 'pg-boss'
import { type Database, type Db, isUniqueViolation } from '#platform/db'
import type { Log } from '#platform/log'
import { SCHEDULE_INTERVALS } from '#platform/schedules'
import { Sql } from '#platform/sql'

const SUPERVISE_SECONDS = 10

interface BossWork {
  /** Creates the queue's tables. */
  migrate?: boolean
  /** Returns the jobs of a process that crashed to the queue. */
  supervise?: boolean
  schedule?: boolean
}

/** The library of the queue, on the service's database; it does only the work that is chosen. */
export function bossOn(db: Database, log: Log, work: BossWork): PgBoss {
  const boss = new PgBoss({
    ...{ migrate: false, supervise: false, schedule: false, ...work },
    db: { executeSql: asPrepared(db) },
    ...(db.engine === 'embedded' ? { backend: 'pglite' as const } : {}),
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    ...SCHEDULE_INTERVALS,
  })
  boss.on('error', (error) => log.error({ error }, 'job queue failed'))
  return boss
}

/** One statement of the queue, repeated for each job; its tables are created by several at once. */
const REPEATED = /^\s*(with|select|insert|update)\b[^;]*$/i
const repeated = new Set<string>()
// As many as the queue has for all our queues; beyond that, a text may not come back.
const MAX_REPEATED = 200

/** Runs the queue's statements prepared: planning one takes longer than running it. */
function asPrepared(db: Db) {
  return async (text: string, values: unknown[] = []): Promise<{ rows: never[] }> => {
    const isKnown = repeated.has(text)
    if (!isKnown && (repeated.size >= MAX_REPEATED || !REPEATED.test(text))) {
      return (await db.raw(text, values)) as { rows: never[] }
    }
    repeated.add(text)
    return { rows: await db.rows<never>(new Sql(text, values)) }
  }
}

/** Creates the queue's tables; again, where another process did while this one waited to. */
export async function createTables(boss: PgBoss): Promise<void> {
  await boss.start().catch((error: unknown) => {
    if (!isUniqueViolation(error, 'pg_namespace_nspname_index')) throw error
    return boss.start()
  })
}

const NO_JOB = '00000000-0000-0000-0000-000000000000'

/**
 * Looks every queue up, also of an earlier release. It would happen when a queue is first used,
 * which must not be inside a transaction.
 */
export async function lookUpQueues(boss: PgBoss): Promise<void> {
  for (const { name } of await boss.getQueues()) await boss.findJobs(name, { id: NO_JOB })
}
