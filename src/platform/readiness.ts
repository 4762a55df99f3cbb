import type { Clock } from '#platform/clock'
import { ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import type { Log } from '#platform/log'
import { pendingMigrations } from '#platform/migrate'
import { migrations } from '#platform/migrations'
import { sql } from '#platform/sql'
import { withTimeout } from '#platform/with-timeout'

/** Whether this process can serve: the database takes writes, and fits this release. */
export interface Readiness {
  /**
   * Answers within two seconds, or later where this process is too busy to read the answer of the
   * database; writes at most once a second, however often it is called. Uses no pooled connection.
   */
  check(): Promise<boolean>
}

const FRESH_MS = 1_000
const ANSWER_WITHIN_MS = 1_800
const RELEASE_CHECKED_MS = 10_000

/**
 * Writes one row as a check. A read-only database (a standby, a full disk) serves every page but
 * cannot complete a sale, so it is not ready.
 */
export function openReadiness(db: Database, clock: Clock, log: Log): Readiness {
  const fitsDatabase = openReleaseCheck(db, log)
  let checked: { at: number; ready: Promise<boolean> } | undefined
  const probe = async (): Promise<boolean> => {
    const now = clock.now()
    const write = db.probe(sql`insert into health_probe (at) values (${now})
      on conflict (id) do update set at = excluded.at`)
    try {
      const ready = await withTimeout(write.then(fitsDatabase), ANSWER_WITHIN_MS)
      if (ready === undefined) throw new Error('no answer in time')
      return ready
    } catch (error) {
      log.warn({ error }, 'not ready: the database does not accept writes')
      return false
    }
  }
  return {
    check() {
      const now = performance.now()
      if (!checked || now - checked.at > FRESH_MS) checked = { at: now, ready: probe() }
      return checked.ready
    },
  }
}

/**
 * Whether this release can run on the database, read at most every ten seconds: a newer release may
 * have migrated it while this process runs, and then another process must answer.
 */
function openReleaseCheck(db: Database, log: Log): () => Promise<boolean> {
  const ours = migrations()
  let checked: { at: number; fits: boolean } | undefined
  return async () => {
    const now = performance.now()
    if (checked && now - checked.at < RELEASE_CHECKED_MS) return checked.fits
    let fits = true
    try {
      await pendingMigrations(db.monitor, { migrations: ours })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      fits = false
      log.error({ error }, 'not ready: the database was migrated to a newer release')
    }
    checked = { at: now, fits }
    return fits
  }
}
