import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import { openClicks } from '#domain/affiliates'
import { rateTable } from '#domain/tax'
import { checkMoney } from '#flows/check-installation'
import { recordClicks } from '#flows/record-clicks'
import { openUses, recordUses } from '#flows/record-uses'
import type { LiveMode, World } from '#flows/world'
import { readLegalText } from '#http/legal-texts'
import { type Clock, systemClock } from '#platform/clock'
import { type Config, isMarkedAsTest } from '#platform/config'
import type { Database } from '#platform/db'
import { type Drain, openDrain } from '#platform/drain'
import { checkSecretKeys } from '#platform/installation'
import { openJobs } from '#platform/jobs'
import { type Languages, readLanguages } from '#platform/language/languages'
import { openLimits } from '#platform/limits'
import { type Log, openLog } from '#platform/log'
import { type Mailer, mailboxMailer, smtpMailer } from '#platform/mail'
import { ensureMigrated } from '#platform/migrate'
import { openDatabase } from '#platform/open-database'
import { openVisits } from '#platform/outbound'
import { markPdfs, openPdfPool } from '#platform/pdf/pool'
import { openPictures } from '#platform/pictures'
import { type Random, systemRandom } from '#platform/random'
import { openReadiness } from '#platform/readiness'
import { type KeyRing, keyRing } from '#platform/secrets'
import { openStorage } from '#platform/storage'
import { observedDatabase } from '#platform/telemetry/observed-db'
import type { Observer } from '#platform/telemetry/observer'
import { worldMetrics } from '#surfaces/monitoring/metrics'
import { openSite } from '#surfaces/site'
import { declarePolls, declareSchedules } from './background.ts'
import { observedMailer, observedProcessor } from './observed.ts'
import { openSandbox, type Sandbox } from './sandbox/index.ts'
import type { StripeAccount, StripeOptions } from './stripe/index.ts'

/** Parts that a test replaces. */
export interface Parts {
  db?: Database
  clock?: Clock
  random?: Random
  log?: Log
  mailer?: Mailer
  visit?: World['visit']
  languages?: Languages
  /** Replaces the sandbox; only if the settings name no other processor. */
  processor?: (sandbox: Sandbox) => World['processor']
}

/** What a world is opened beside: of a world alone, neither. */
interface Beside {
  /** The live mode, for the test mode beside it. */
  live?: { mode: LiveMode; seller_terms_version: string }
  /** Makes the HTTP server of both, for live mode. */
  server_factory?: FastifyServerFactory | undefined
  /** Of the server of both. */
  drain?: Drain
  /** What the world reports to. */
  observer?: Observer | undefined
}

/** An open world: its routes, and how its background work starts and ends. */
export interface OpenWorld {
  world: World
  app: FastifyInstance
  /** Ends long work, and resolves when the open requests are answered. */
  stopServing(): Promise<void>
  /** After the last request: finishes running jobs and closes everything. */
  close(): Promise<void>
}

/** Opens a world with all its routes and migrates its database; nothing is served yet. */
export async function openWorld(
  config: Config,
  parts: Parts = {},
  beside: Beside = {},
): Promise<OpenWorld> {
  const log = parts.log ?? openLog(config.log_level)
  const { db, close: closeDatabase } = parts.db
    ? { db: parts.db, close: () => parts.db!.close() }
    : await openDatabase(config, log)
  try {
    const open = await openWithDatabase(config, { ...parts, db, log }, beside)
    return {
      ...open,
      async close() {
        await open.close()
        await closeDatabase()
      },
    }
  } catch (error) {
    await closeDatabase()
    throw error
  }
}

/** Migrates a database; throws unless its keys and its money are those of the settings. */
async function prepareDatabase(
  config: Config,
  { db, log, keys, now }: { db: Database; log: Log; keys: KeyRing; now: Date },
): Promise<void> {
  const fresh = await ensureMigrated(db, now, config)
  if (fresh.length > 0) log.info({ migrations: fresh }, 'the database was brought up to date')
  await checkSecretKeys(db, now, keys)
  await checkMoney(db, config)
}

/** Opens Stripe; its library is loaded only where the settings ask for it. */
async function loadStripe(options: StripeOptions): Promise<StripeAccount> {
  const { openStripe } = await import('./stripe/index.ts')
  return openStripe(options)
}

/** Opens a world on a database, which it does not close. */
async function openWithDatabase(
  config: Config,
  parts: Parts & { db: Database; log: Log },
  { live, server_factory, drain = openDrain(), observer }: Beside,
): Promise<OpenWorld> {
  const { log, clock = systemClock, random = systemRandom } = parts
  const db = observedDatabase(parts.db, observer)
  const keys = keyRing(config.secret_keys)
  await prepareDatabase(config, { db, log, keys, now: clock.now() })
  const sandbox = openSandbox({ db, random, keys, clock, base_url: config.base_url })
  const stripe =
    config.stripe && (await loadStripe({ settings: config.stripe, db, clock, random, log }))
  const processor = observedProcessor(stripe ?? parts.processor?.(sandbox) ?? sandbox, observer)
  const stopping = new AbortController()
  const pdfs = openPdfPool()
  const world: World = {
    config,
    db,
    clock,
    random,
    keys,
    log,
    limits: openLimits(config.valkey_url, log, {
      prefix: live ? 'test-mode/' : '',
      onFallback: observer?.onFallback,
    }),
    jobs: openJobs(db, log, { works: config.role !== 'web', observer }),
    mailer: observedMailer(parts.mailer ?? openMailer(config, db, log), observer),
    processor,
    taxes: stripe && config.tax_provider === 'stripe' ? stripe.taxes : rateTable,
    uses: openUses(),
    clicks: openClicks(random),
    visit: parts.visit ?? openVisits({ allows_loopback: !config.production }),
    pdfs: isMarkedAsTest(config) ? markPdfs(pdfs, 'TEST MODE') : pdfs,
    pictures: openPictures(),
    languages: parts.languages ?? readLanguages(),
    // Files of test mode stay apart from those of live mode, which its retention would remove.
    storage: openStorage(db, live ? undefined : config.storage),
    readiness: openReadiness(db, clock, log),
    drain,
    // In test mode a seller has accepted the terms of live mode, which name its processor.
    seller_terms_version:
      live?.seller_terms_version ?? readLegalText({ config, processor }, 'seller-terms').version,
    live: live?.mode,
    stopping: stopping.signal,
  }
  try {
    const pages = (server: FastifyInstance) => (stripe ?? sandbox).declareRoutes(server)
    const test_processor = stripe ? undefined : sandbox
    const app = await openSite(world, pages, { test_processor, server_factory, observer })
    observer?.report(worldMetrics(world))
    await world.jobs.open()
    declarePolls(world)
    declareSchedules(world)
    return {
      world,
      app,
      async stopServing() {
        stopping.abort()
        await app.close()
      },
      close: () => finish(world),
    }
  } catch (error) {
    await closeParts(world)
    throw error
  }
}

/** Ends the running jobs, writes what was counted in memory, and closes the parts. */
async function finish(world: World): Promise<void> {
  await world.jobs.stop()
  await recordUses(world)
  await recordClicks(world)
  await closeParts(world)
}

async function closeParts({ pdfs, limits, mailer }: World): Promise<void> {
  await pdfs.close()
  await limits.close()
  mailer.close()
}

function openMailer({ smtp_url, ...config }: Config, db: Database, log: Log): Mailer {
  if (!smtp_url) return mailboxMailer(db, log)
  const { mail_from: from, operator } = config
  return smtpMailer(smtp_url, { from, reply_to: operator.support_email })
}
