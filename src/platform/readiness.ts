import type { Clock } from '#platform/clock'
import type { Database } from '#platform/db'
import type { Log } from '#platform/log'
import { sql } from '#platform/sql'

/** Whether this process can serve: the database takes writes. */
export interface Readiness {
  /** Answers within two seconds; writes at most once a second, however often it is called. */
  check(): Promise<boolean>
}

const FRESH_MS = 1_000
const ANSWER_WITHIN_MS = 1_800

/**
 * Writes one row as a check. A read-only database (a standby, a full disk) serves every page but
 * cannot complete a sale, so it is not ready.
 */
export function openReadiness(db: Database, clock: Clock, log: Log): Readiness {
  let checked: { at: number; ready: Promise<boolean> } | undefined
  const probe = async (): Promise<boolean> => {
    const now = clock.now()
    const write = db.probe(sql`insert into health_probe (at) values (${now})
      on conflict (id) do update set at = excluded.at`)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), ANSWER_WITHIN_MS)
    })
    try {
      await Promise.race([write, late])
      return true
    } catch (error) {
      write.catch(() => {})
      log.warn({ error }, 'not ready: the database does not accept writes')
      return false
    } finally {
      clearTimeout(timer)
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
