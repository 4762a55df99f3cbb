import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { buildAssets } from '../../scripts/build-assets.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { type DemoFacts, seedCast } from '../../src/demo/seed.ts'
import { openService, type Service, type ServiceParts } from '../../src/service.ts'
import { ManualClock } from './clock.ts'
import { type Copies, openCopies, openTestDatabase } from './database.ts'

/**
 * One key for all services of this process, so that each can read copies of the cast's database.
 */
const SECRET_KEY = randomBytes(32).toString('hex')

let assets: Promise<unknown> | undefined

/** A service for a test, with its own database, the demo accounts, and a manual clock. */
export interface TestService extends Service {
  clock: ManualClock
  demo: DemoFacts
  /** Whether its own polls do background work beside the test: once it listens, for example. */
  isPolling(): boolean
}

/** What a test may override. Settings are environment variables. */
export interface Choices extends Omit<ServiceParts, 'clock'> {
  settings?: Record<string, string>
  clock?: ManualClock
}

/** Opens a service for `app.inject`; call `listen` to serve real browsers. */
export async function openTestService(choices: Choices = {}): Promise<TestService> {
  const { facts, open } = (await castFor(choices)) ?? {}
  const service = await openBareService({ ...choices, db: choices.db ?? (await open?.()) })
  const { base_url } = service.world.config
  return { ...service, demo: facts ? at(base_url, facts) : await seedCast(service.world, SITES) }
}

const SITES = {
  sample_site_url: 'http://localhost:4999',
  sign_in_site_url: 'http://localhost:4998',
  kept: undefined,
}

let cast: Promise<Copies<DemoFacts>> | undefined

/** Databases with the cast, unless an overridden part affects the cast. */
async function castFor({ db, clock, random, settings = {} }: Choices) {
  if (db || clock || random || Object.keys(settings).some((name) => /_KEY$/.test(name))) return
  cast ??= openCopies(async (original) => {
    const service = await openBareService({ db: original })
    const demo = await seedCast(service.world, SITES)
    await service.close()
    return demo
  })
  return await cast
}

/** The facts of a cast whose service has another base URL. */
function at(base_url: string, demo: DemoFacts): DemoFacts {
  const moved = (app: DemoFacts['app']) => ({
    ...app,
    prices: app.prices.map((price) => ({
      ...price,
      buy_url: price.buy_url.replace(demo.base_url, base_url),
    })),
  })
  return { ...demo, base_url, app: moved(demo.app), sign_in_app: moved(demo.sign_in_app) }
}

async function openBareService(choices: Choices): Promise<Omit<TestService, 'demo'>> {
  assets ??= buildAssets()
  await assets
  const { settings, ...parts } = choices
  const clock = choices.clock ?? new ManualClock()
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-test-'))
  const config = readConfig(
    {
      NODE_ENV: 'test',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      DEMO: '0',
      DATA_DIR: data_dir,
      SECRET_KEY,
      PORT: String(await freePort()),
      ...settings,
    },
    systemRandom,
  )
  const db = parts.db ?? (await openTestDatabase())
  const service = await openService(config, { ...parts, db, clock })
  return {
    ...service,
    clock,
    isPolling: startOf(service.world.jobs),
    async close() {
      await service.close()
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}

/** Whether the jobs were started. */
function startOf(jobs: Service['world']['jobs']): () => boolean {
  const { start } = jobs
  let isStarted = false
  jobs.start = async () => {
    isStarted = true
    await start.call(jobs)
  }
  return () => isStarted
}
