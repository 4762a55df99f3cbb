import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '#platform/config'
import { type Database, type Db, isDeadlock } from '#platform/db'
import { type Migration, statementsOf } from '#platform/migrations'
import { type OpenTransaction, oldestTransaction } from '#platform/open-transactions'
import { sql } from '#platform/sql'

/** Any number works, as long as every process of every version uses the same one. */
export const MIGRATION_LOCK = 7_305_431

/** How long a migration may wait, in milliseconds. */
export interface MigrationLimits {
  /** For a table lock. Sales wait behind it for as long. */
  lock: number
  /** The pause before it tries to lock again. */
  pause: number
  /** For all locks together, another process's migrations included. */
  total: number
}

type MigrationOutcome = 'applied' | 'known' | 'locked'

/** The time and the limits of applying a migration. */
export interface MigrationAttempt {
  now: Date
  limits: MigrationLimits
  /** When the migration is given up, by the clock of `performance`. */
  end: number
}

/**
 * Applies a migration unless another process has; whether it did. Tries until it is not locked out,
 * and throws a ConfigError at the end.
 */
export async function applyMigration(
  db: Database,
  migration: Migration,
  attempt: MigrationAttempt,
): Promise<boolean> {
  for (;;) {
    const outcome = await apply(db, migration, attempt)
    if (outcome !== 'locked') return outcome === 'applied'
    if (performance.now() >= attempt.end) {
      throw new ConfigError(stillLocked(migration, await oldestTransaction(db)))
    }
    await sleep(attempt.limits.pause)
  }
}

async function apply(
  db: Database,
  migration: Migration,
  attempt: MigrationAttempt,
): Promise<MigrationOutcome> {
  try {
    return migration.is_concurrent
      ? await db.alone((connection) => applyAlone(connection, migration, attempt))
      : await db.tx((tx) => applyInside(tx, migration, attempt), { patient: true })
  } catch (error) {
    if (isLocked(error)) return 'locked'
    throw error
  }
}

async function applyInside(
  tx: Db,
  migration: Migration,
  attempt: MigrationAttempt,
): Promise<MigrationOutcome> {
  // Never waits for this lock: a waiting statement's snapshot would block a concurrent index.
  const mine = await tx.one<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}::bigint) as locked`,
  )
  if (!mine.locked) return 'locked'
  if (await isApplied(tx, migration)) return 'known'
  await tx.raw(`set local lock_timeout = ${attempt.limits.lock}`)
  await tx.raw(migration.text)
  await record(tx, migration, attempt.now)
  return 'applied'
}

async function applyAlone(
  db: Db,
  migration: Migration,
  { now, limits, end }: MigrationAttempt,
): Promise<MigrationOutcome> {
  const mine = await db.one<{ locked: boolean }>(
    sql`select pg_try_advisory_lock(${MIGRATION_LOCK}::bigint) as locked`,
  )
  if (!mine.locked) return 'locked'
  try {
    if (await isApplied(db, migration)) return 'known'
    // A build blocks no sale while it waits for older transactions, so it waits until the end.
    const waitUntilEnd = () => waitFor(db, end - performance.now())
    await waitUntilEnd()
    await dropInvalidIndexes(db)
    for (const statement of statementsOf(migration.text)) {
      await waitUntilEnd()
      await db.raw(statement)
    }
    await record(db, migration, now)
    return 'applied'
  } catch (error) {
    if (isLocked(error)) await cleanUp(db, limits)
    throw error
  } finally {
    // The embedded engine has one connection for everything.
    await db.raw('reset lock_timeout')
    await db.rows(sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`)
  }
}

/** How long each of the next statements of a connection waits for a lock. */
async function waitFor(db: Db, milliseconds: number): Promise<void> {
  // Zero would wait without a limit.
  await db.raw(`set lock_timeout = ${Math.max(1, Math.ceil(milliseconds))}`)
}

/** Drops what a build left that waited too long; otherwise the next run does, before it builds. */
async function cleanUp(db: Db, { lock }: MigrationLimits): Promise<void> {
  await waitFor(db, lock)
  await dropInvalidIndexes(db).catch((error) => {
    if (!isLocked(error)) throw error
  })
}

/** What a concurrent build leaves behind when it was interrupted; it would count as existing. */
async function dropInvalidIndexes(db: Db): Promise<void> {
  const rows = await db.rows<{ name: string }>(sql`
    select i.indexrelid::regclass::text as name from pg_index i join pg_class t on t.oid = i.indrelid
    where not i.indisvalid
      and t.relnamespace in (current_schema()::regnamespace, to_regnamespace('sandbox'),
        to_regnamespace('stripe_adapter'))`)
  for (const { name } of rows) await db.raw(`drop index concurrently if exists ${name}`)
}

async function isApplied(db: Db, { name }: Migration): Promise<boolean> {
  const found = sql`select name from schema_migrations where name = ${name}`
  return (await db.rows(found)).length > 0
}

async function record(db: Db, migration: Migration, now: Date): Promise<void> {
  const { name, checksum, oldest_release } = migration
  await db.run(sql`insert into schema_migrations (name, checksum, oldest_release, applied_at)
    values (${name}, ${checksum}, ${oldest_release}, ${now})`)
}

/** Whether a lock could not be acquired: 55P03 is PostgreSQL's code for a lock timeout. */
function isLocked(error: unknown): boolean {
  return isDeadlock(error) || (error instanceof Error && 'code' in error && error.code === '55P03')
}

function stillLocked({ name }: Migration, oldest: OpenTransaction | undefined): string {
  const what = `The migration ${name} could not lock its tables, or another process is migrating. `
  if (!oldest) {
    const where = 'Look in pg_stat_activity for a transaction that has been open for long'
    return `${what}${where}, then run it again.`
  }
  const { pid, program, open_seconds } = oldest
  return (
    `${what}The oldest transaction in pg_stat_activity is of process ${pid} ` +
    `(${program}), open for ${Math.round(open_seconds)} s. Wait until it has ended, or end it ` +
    `with select pg_terminate_backend(${pid}), then run this again.`
  )
}
