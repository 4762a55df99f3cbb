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
import type { Pictures } from '#platform/pictures'
import type { Random } from '#platform/random'
import type { Readiness } from '#platform/readiness'
import type { KeyRing } from '#platform/secrets'
import type { FileStorage } from '#platform/storage'
import type { BufferedTally } from '#platform/tally'

/** Everything that a flow needs from outside, passed in so that a test can replace any part. */
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
  /** How licenses are used, counted in memory until `rememberUses` writes it. */
  uses: BufferedTally<Use>
  /** Renders PDFs off the event loop. */
  pdfs: PdfPool
  /** Decodes and encodes uploaded pictures off the event loop. */
  pictures: Pictures
  /** Files such as pictures of apps. */
  storage: FileStorage
  readiness: Readiness
  /** The version of the seller terms that is published. */
  seller_terms_version: string
  /** Aborted when the service stops: long work ends at its next step. */
  stopping: AbortSignal
}

/**
 * The same world for lists, statements, exports and other slow work: it uses the few database
 * connections of the reports, so a checkout or a validation never waits for it.
 */
export function forReports(world: World): World {
  return { ...world, db: { ...world.db, ...world.db.reports } }
}

/**
 * The present time for an app: the service's own, or its test clock's, which may be ahead.
 * Everything about an app's money and licenses is dated by it.
 */
export function appTime({ clock }: Pick<World, 'clock'>, app: { clock_ahead: number }): Date {
  return addSeconds(clock.now(), app.clock_ahead)
}
