import type { Processor } from '#domain/payments'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Database } from '#platform/db'
import type { Jobs } from '#platform/jobs'
import type { Limits } from '#platform/limits'
import type { Log } from '#platform/log'
import type { Mailer } from '#platform/mail'
import type { Random } from '#platform/random'
import type { KeyRing } from '#platform/secrets'

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
}
