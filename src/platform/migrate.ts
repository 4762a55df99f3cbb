import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '#platform/config'
import type { Database, Db } from '#platform/db'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))
// Any number works, as long as every process of every version uses the same one.
const LOCK = 7_305_431

interface Migration {
  name: string
  text: string
  checksum: string
}

/** The project's migrations in the order in which they are applied. */
export function migrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(FOLDER, name), 'utf8')
      return { name, text, checksum: sha256(text).toString('hex') }
    })
}

/**
 * Migrates the database, one process at a time, all or nothing, and returns the names of the
 * applied migrations. Throws a ConfigError, and changes nothing, if the database has a migration
 * that this version lacks, or has it with another text.
 */
export async function migrate(db: Database, now: Date): Promise<string[]> {
  const work = async (tx: Db) => {
    await tx.rows(sql`select pg_advisory_xact_lock(${LOCK}::bigint)`)
    await tx.raw(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null)`)
    const rows = await tx.rows<{ name: string; checksum: string }>(
      sql`select name, checksum from schema_migrations order by name`,
    )
    const applied = new Map(rows.map((row) => [row.name, row.checksum]))
    const ours = migrations()
    for (const name of applied.keys()) {
      if (!ours.some((each) => each.name === name)) throw unusable(name, 'does not have')
    }
    const fresh: string[] = []
    for (const { name, text, checksum } of ours) {
      const known = applied.get(name)
      if (known === checksum) continue
      if (known) throw unusable(name, 'has with another text')
      await tx.raw(text)
      await tx.run(sql`insert into schema_migrations (name, checksum, applied_at)
        values (${name}, ${checksum}, ${now})`)
      fresh.push(name)
    }
    return fresh
  }
  return await db.tx(work, { patient: true })
}

function unusable(name: string, what: string): ConfigError {
  return new ConfigError(
    `This database was migrated by another version of Purser: it has the migration ${name}, which ` +
      `this version ${what}. Start that other version, or start on an empty database.`,
  )
}
