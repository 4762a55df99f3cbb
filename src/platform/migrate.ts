import { applyMigration, MIGRATION_LOCK, type MigrationLimits } from '#platform/apply-migration'
import { ConfigError } from '#platform/config'
import type { Database, Db } from '#platform/db'
import { type Migration, migrations } from '#platform/migrations'
import { isOlder, RELEASE } from '#platform/release'
import { sql } from '#platform/sql'

/** What a database remembers of its migrations. */
export const MIGRATIONS_TABLE = `create table if not exists schema_migrations (
  name text primary key,
  checksum text not null,
  oldest_release text,
  applied_at timestamptz not null
)`

const LIMITS: MigrationLimits = { lock: 2_000, pause: 1_000, total: 10 * 60_000 }

/** Another release to migrate as; by default this one. */
export interface MigrationOptions {
  migrations?: Migration[]
  release?: string
  limits?: MigrationLimits
  /** Called for each applied migration, with its duration in milliseconds. */
  onApplied?: (name: string, duration: number) => void
}

/**
 * Applies the missing migrations, each in a transaction of its own, one process at a time, and
 * returns their names. One that cannot lock a table within two seconds lets the sales behind it
 * pass and tries again. Throws a ConfigError where this release does not fit the database.
 */
export async function migrate(
  db: Database,
  now: Date,
  options: MigrationOptions = {},
): Promise<string[]> {
  const { limits = LIMITS, onApplied } = options
  await createTable(db)
  const fresh: string[] = []
  for (const migration of await pendingMigrations(db, options)) {
    const start = performance.now()
    if (await applyMigration(db, migration, { now, limits, end: start + limits.total })) {
      fresh.push(migration.name)
      onApplied?.(migration.name, performance.now() - start)
    }
  }
  return fresh
}

/**
 * Migrates the database if the settings let a start do so, and returns the names of what it
 * applied; otherwise throws a ConfigError unless the database has every migration.
 */
export async function ensureMigrated(
  db: Database,
  now: Date,
  { migrates_on_start }: { migrates_on_start: boolean },
): Promise<string[]> {
  if (migrates_on_start) return await migrate(db, now)
  await assertMigrated(db, ', and MIGRATE_ON_START is 0')
  return []
}

/**
 * Throws a ConfigError unless the database has every migration and this release fits it. `also` is
 * what else it says of the reason.
 */
export async function assertMigrated(db: Db, also = ''): Promise<void> {
  const names = (await pendingMigrations(db)).map(({ name }) => name)
  if (names.length === 0) return
  throw new ConfigError(
    `The database lacks ${names.length === 1 ? 'a migration' : `${names.length} migrations`} ` +
      `(${names.join(', ')})${also}. Run \`npm run migrate\` first.`,
  )
}

/**
 * The migrations that the database lacks, in order. Throws a ConfigError if it has one that only
 * newer releases can run on, or one with another text.
 */
export async function pendingMigrations(
  db: Db,
  { migrations: ours = migrations(), release = RELEASE }: MigrationOptions = {},
): Promise<Migration[]> {
  const applied = await appliedMigrations(db)
  for (const { name, oldest_release } of applied) {
    if (ours.some((each) => each.name === name)) continue
    if (!oldest_release || isOlder(release, oldest_release)) {
      throw unusable(name, `(${release}) does not have and cannot run on`)
    }
  }
  return ours.filter(({ name, checksum }) => {
    const known = applied.find((each) => each.name === name)
    if (known && known.checksum !== checksum) {
      throw unusable(name, 'has with another text')
    }
    return !known
  })
}

interface Applied {
  name: string
  checksum: string
  oldest_release: string | null
}

/** Whether no release has migrated the database. */
export async function isEmpty(db: Db): Promise<boolean> {
  return (await appliedMigrations(db)).length === 0
}

async function appliedMigrations(db: Db): Promise<Applied[]> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as exists`,
  )
  if (!exists) return []
  return await db.rows<Applied>(
    sql`select name, checksum, oldest_release from schema_migrations order by name`,
  )
}

async function createTable(db: Database): Promise<void> {
  await db.tx(async (tx) => {
    // Two processes that create it at once would get a unique violation.
    await tx.rows(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint + 1)`)
    await tx.raw(MIGRATIONS_TABLE)
  })
}

function unusable(name: string, what: string): ConfigError {
  return new ConfigError(
    `This database was migrated by another version of Purser: it has the migration ${name}, which ` +
      `this version ${what}. Start that other version, or start on an empty database.`,
  )
}
