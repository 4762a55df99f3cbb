import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256 } from '#platform/secrets'

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))
const OLDEST = /^-- Oldest release: (\d+\.\d+\.\d+)$/m
const CONCURRENT = /^(create( unique)?|drop) index concurrently/im

/** One file of `migrations/`. */
export interface Migration {
  name: string
  text: string
  checksum: string
  /**
   * The oldest release that can run on the database after it, from its line `-- Oldest release:
   * 1.2.3`; null: only releases that contain it (decision 117).
   */
  oldest_release: string | null
  /** Builds or drops indexes without blocking writes, so it runs outside of a transaction. */
  is_concurrent: boolean
}

/** The migrations of a folder, by default the project's, in the order in which they are applied. */
export function migrations(folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return {
        name,
        text,
        checksum: sha256(text).toString('hex'),
        oldest_release: OLDEST.exec(text)?.[1] ?? null,
        is_concurrent: CONCURRENT.test(text),
      }
    })
}

/** The statements of a migration of concurrent indexes, which contain no semicolon inside. */
export function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
