import type { FastifyInstance } from 'fastify'
import { sumMetrics } from '#domain/metrics'
import { sumBalances } from '#domain/payouts'
import { rateTable, sumTaxes } from '#domain/tax'
import { checkMoney } from '#flows/check-installation'
import { closeDays } from '#flows/close-days'
import { payWeekly, reconcilePayouts } from '#flows/pay-out'
import * as payment from '#flows/payment'
import { recordTaxes } from '#flows/record-taxes'
import { reconcileRefunds } from '#flows/refund'
import { openUses, rememberUses } from '#flows/remember-uses'
import { keepRetention } from '#flows/retention'
import * as subscription from '#flows/subscription'
import { forReports, type World } from '#flows/world'
import { readLegalText } from '#http/legal-texts'
import { type Clock, systemClock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Database } from '#platform/db'
import { openEmbedded } from '#platform/db-embedded'
import { openPostgres } from '#platform/db-postgres'
import { checkSecretKeys } from '#platform/installation'
import { openJobs } from '#platform/jobs'
import { openLimits } from '#platform/limits'
import { lockFolder } from '#platform/lock'
import { type Log, openLog } from '#platform/log'
import { type Mailer, mailboxMailer, smtpMailer } from '#platform/mail'
import { migrate } from '#platform/migrate'
import { openPdfPool } from '#platform/pdf/pool'
import { openPictures } from '#platform/pictures'
import { type Random, systemRandom } from '#platform/random'
import { openReadiness } from '#platform/readiness'
import { keyRing } from '#platform/secrets'
import { openStorage } from '#platform/storage'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openSite } from '#surfaces/site'
import { openSandbox, type Sandbox } from './sandbox/index.ts'
import { openStripe } from './stripe/index.ts'

/** A running service: its world, its server, and how to stop it. */
export interface Service {
  world: World
  app: FastifyInstance
  /** Starts accepting requests and processing the queues. */
  listen(): Promise<void>
  /** Finishes open requests and running jobs, then closes everything. */
  close(): Promise<void>
}

/** Parts that a test replaces. */
export interface Parts {
  db?: Database
  clock?: Clock
  random?: Random
  log?: Log
  mailer?: Mailer
  /** Replaces the sandbox; only if the settings name no other processor. */
  processor?: (sandbox: Sandbox) => World['processor']
}

const RECONCILE_SECONDS = 2
const RENEW_SECONDS = 10
const SUM_SECONDS = 10
const SUMMED_AT_ONCE = 1000
const REMEMBER_SECONDS = 5
const EVERY_MINUTE = '* * * * *'
const EVERY_TEN_MINUTES = '*/10 * * * *'
const DAILY = '20 3 * * *'

/** Opens the world and migrates its database; requests are accepted after `listen`. */
export async function openService(config: Config, parts: Parts = {}): Promise<Service> {
  const clock = parts.clock ?? systemClock
  const random = parts.random ?? systemRandom
  const log = parts.log ?? openLog(config.log_level)
  const { db, release } = parts.db
    ? { db: parts.db, release() {} }
    : await openDatabase(config, log)
  const keys = keyRing(config.secret_keys)
  try {
    const fresh = await migrate(db, clock.now())
    if (fresh.length > 0) log.info({ migrations: fresh }, 'the database was brought up to date')
    await checkSecretKeys(db, clock.now(), keys)
    await checkMoney(db, config)
  } catch (error) {
    await db.close()
    release()
    throw error
  }
  const sandbox = openSandbox({ db, random, keys, clock, base_url: config.base_url })
  const stripe = config.stripe && openStripe({ settings: config.stripe, db, clock, random, log })
  if (config.production && !stripe) log.warn('no STRIPE_SECRET_KEY: no real money is taken or paid')
  const processor = stripe ?? parts.processor?.(sandbox) ?? sandbox
  const stopping = new AbortController()
  const world: World = {
    config,
    db,
    clock,
    random,
    keys,
    log,
    limits: openLimits(config.valkey_url, log),
    jobs: openJobs(db, log),
    mailer: parts.mailer ?? openMailer(config, db, log),
    processor,
    taxes: stripe && config.tax_provider === 'stripe' ? stripe.taxes : rateTable,
    uses: openUses(),
    pdfs: openPdfPool(),
    pictures: openPictures(),
    storage: openStorage(db, config.storage),
    readiness: openReadiness(db, clock, log),
    seller_terms_version: readLegalText({ config, processor }, 'seller-terms').version,
    stopping: stopping.signal,
  }
  const pages = (server: FastifyInstance) => (stripe ?? sandbox).declareRoutes(server)
  const app = await openSite(world, pages, stripe ? undefined : sandbox)
  await world.jobs.open()
  declarePolls(world)
  declareSchedules(world)

  return {
    world,
    app,
    async listen() {
      await app.listen({ port: config.port, host: config.host })
      await world.jobs.start()
    },
    async close() {
      stopping.abort()
      await app.close()
      await world.jobs.stop()
      await rememberUses(world)
      await world.pdfs.close()
      await world.limits.close()
      world.mailer.close()
      await db.close()
      release()
    },
  }
}

/** What every process asks every few seconds; concurrent processes claim different work. */
function declarePolls(world: World): void {
  const { db, jobs, stopping } = world
  jobs.poll('reconcile payments', RECONCILE_SECONDS, () => payment.reconcile(world))
  jobs.poll('reconcile refunds', RECONCILE_SECONDS, () => reconcileRefunds(world))
  jobs.poll('receive processor events', RECONCILE_SECONDS, async () => {
    await handleEvents(world)
  })
  jobs.poll('remember uses', REMEMBER_SECONDS, () => rememberUses(world))
  jobs.poll('reconcile payouts', RECONCILE_SECONDS, () => reconcilePayouts(world))
  jobs.poll('sum taxes', SUM_SECONDS, async () => {
    while (!stopping.aborted && (await sumTaxes(db, SUMMED_AT_ONCE)) > 0);
  })
  jobs.poll('sum balances', SUM_SECONDS, async () => {
    while (!stopping.aborted && (await sumBalances(db, SUMMED_AT_ONCE)) > 0);
  })
  jobs.poll('sum metrics', SUM_SECONDS, async () => {
    while (!stopping.aborted && (await sumMetrics(db, SUMMED_AT_ONCE)) > 0);
  })
  jobs.poll('renew subscriptions', RENEW_SECONDS, async () => {
    while ((await subscription.renewDue(world)) > 0);
  })
}

/** What the service does by the clock, once and not in each process. Surfaces declare more. */
function declareSchedules(world: World): void {
  const { jobs } = world
  jobs.schedule('weekly-payouts', EVERY_MINUTE, async () => {
    await payWeekly(world)
  })
  jobs.schedule('record-taxes', EVERY_MINUTE, async () => {
    await recordTaxes(world)
  })
  jobs.schedule('close-days', EVERY_TEN_MINUTES, async () => {
    await closeDays(world)
  })
  jobs.schedule('retention', DAILY, () => keepRetention(forReports(world)))
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

function openMailer({ smtp_url, ...config }: Config, db: Database, log: Log): Mailer {
  if (!smtp_url) return mailboxMailer(db, log)
  const { mail_from: from, operator } = config
  return smtpMailer(smtp_url, { from, reply_to: operator.support_email })
}
