import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { buildAssets } from '../../scripts/build-assets.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { type DemoFacts, seedCast } from '../../src/demo/seed.ts'
import { openService, type Parts, type Service } from '../../src/service.ts'
import { ManualClock } from './clock.ts'
import { openTestDatabase } from './database.ts'

/** A service for a test: its own database, the cast on stage, and a clock in the test's hands. */
export interface TestService extends Service {
  clock: ManualClock
  demo: DemoFacts
}

/** What a test may choose. Settings are environment variables. */
export interface Choices extends Omit<Parts, 'clock'> {
  settings?: Record<string, string>
  clock?: ManualClock
}

/** Opens a service that answers `app.inject`; call `listen` for one that real browsers reach. */
export async function openTestService(choices: Choices = {}): Promise<TestService> {
  await buildAssets()
  const { settings, ...parts } = choices
  const clock = choices.clock ?? new ManualClock()
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-test-'))
  const config = readConfig(
    {
      NODE_ENV: 'test',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      DEMO: '0',
      DATA_DIR: data_dir,
      PORT: String(await freePort()),
      ...settings,
    },
    systemRandom,
  )
  const db = parts.db ?? (await openTestDatabase())
  const service = await openService(config, { ...parts, db, clock })
  const demo = await seedCast(service.world, {
    sample_site_url: 'http://localhost:4999',
    sign_in_site_url: 'http://localhost:4998',
    kept: undefined,
  })
  return {
    ...service,
    clock,
    demo,
    async close() {
      await service.close()
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}
