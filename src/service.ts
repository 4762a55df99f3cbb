import type { FastifyInstance } from 'fastify'
import * as checkout from '#flows/checkout'
import type { World } from '#flows/world'
import { type Clock, systemClock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Database } from '#platform/db'
import { openEmbedded } from '#platform/db-embedded'
import { openPostgres } from '#platform/db-postgres'
import { openJobs } from '#platform/jobs'
import { openLimits } from '#platform/limits'
import { lockFolder } from '#platform/lock'
import { type Log, openLog } from '#platform/log'
import { type Mailer, mailboxMailer, smtpMailer } from '#platform/mail'
import { migrate } from '#platform/migrate'
import { type Random, systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { openSite } from '#surfaces/site'
import { openSandbox, type Sandbox } from './sandbox/index.ts'

/** A service that runs: its world, its server, and the way to end it. */
export interface Service {
  world: World
  app: FastifyInstance
  /** Takes requests from here on, and works through the queues. */
  listen(): Promise<void>
  /** Answers what was asked, lets running jobs end, and closes everything. */
  close(): Promise<void>
}

/** Parts that a test puts in the place of the real ones. */
export interface Parts {
  db?: Database
  clock?: Clock
  random?: Random
  log?: Log
  mailer?: Mailer
  processor?: (sandbox: Sandbox) => World['processor']
}

const RECOVER_SECONDS = 2

/** Opens the world and brings its database up to date; nothing is served yet. */
export async function openService(config: Config, parts: Parts = {}): Promise<Service> {
  const clock = parts.clock ?? systemClock
  const random = parts.random ?? systemRandom
  const log = parts.log ?? openLog(config.log_level)
  const { db, release } = parts.db
    ? { db: parts.db, release() {} }
    : await openDatabase(config, log)
  const fresh = await migrate(db, clock.now())
  if (fresh.length > 0) log.info({ migrations: fresh }, 'the database was brought up to date')

  const keys = keyRing(config.secret_keys)
  const sandbox = openSandbox({ db, random, keys, clock, base_url: config.base_url })
  const world: World = {
    config,
    db,
    clock,
    random,
    keys,
    log,
    limits: await openLimits(config.valkey_url, log),
    jobs: openJobs(db, log),
    mailer: parts.mailer ?? openMailer(config, db, log),
    processor: parts.processor?.(sandbox) ?? sandbox,
  }
  const app = await openSite(world, (server) => sandbox.declareRoutes(server))
  await world.jobs.open()
  world.jobs.every('recover purchases', RECOVER_SECONDS, () => checkout.recover(world))

  return {
    world,
    app,
    async listen() {
      await app.listen({ port: config.port, host: config.host })
      await world.jobs.start()
    },
    async close() {
      await app.close()
      await world.jobs.stop()
      await world.limits.close()
      world.mailer.close()
      await db.close()
      release()
    },
  }
}

async function openDatabase(config: Config, log: Log) {
  if (config.database_url) {
    return { db: await openPostgres(config.database_url, log), release() {} }
  }
  const release = lockFolder(config.data_dir)
  try {
    return { db: await openEmbedded({ dataDir: `${config.data_dir}/database` }), release }
  } catch (error) {
    release()
    throw error
  }
}

function openMailer({ smtp_url, mail_from }: Config, db: Database, log: Log): Mailer {
  return smtp_url ? smtpMailer(smtp_url, mail_from) : mailboxMailer(db, log)
}
