import type { Use } from '#domain/licensing'
import type { Processor } from '#domain/payments'
import type { TaxProvider } from '#domain/tax'
import { addSeconds } from '#platform/calendar'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Database } from '#platform/db'
import type { Jobs } from '#platform/jobs'
import type { Limits } from '#platform/limits'
import type { Log } from '#platform/log'
import type { Mailer } from '#platform/mail'
import type { PdfPool } from '#platform/pdf/pool'
import type { Random } from '#platform/random'
import type { Readiness } from '#platform/readiness'
import type { KeyRing } from '#platform/secrets'
import type { BufferedTally } from '#platform/tally'

/** All that a story needs from outside itself, handed in whole so that a test can hand in another. */
export interface World {
  config: Config
  db: Database
  clock: Clock
  random: Random
  keys: KeyRing
  log: Log
  limits: Limits
  jobs: Jobs
  mailer: Mailer
  processor: Processor
  taxes: TaxProvider
  /** How licenses are used, counted until `rememberUses` writes it down. */
  uses: BufferedTally<Use>
  /** Draws documents off the event loop. */
  pdfs: PdfPool
  readiness: Readiness
  /** The version of the seller terms that is published. */
  seller_terms_version: string
  /** Aborted when the service stops: work of many parts ends between two of them. */
  stopping: AbortSignal
}

/**
 * The same world for lists, statements, exports and other work that may be slow: it uses the few
 * database connections of the reports, so a checkout or a validation never waits for it.
 */
export function forReports(world: World): World {
  return { ...world, db: { ...world.db, ...world.db.reports } }
}

/**
 * What time it is for an app: the service's own, or ahead of it in test mode. All that concerns an
 * app's money and licenses is dated so.
 */
export function appTime({ clock }: Pick<World, 'clock'>, app: { clock_ahead: number }): Date {
  return addSeconds(clock.now(), app.clock_ahead)
}
