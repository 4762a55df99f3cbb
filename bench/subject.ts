import { readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { freePort } from '../scripts/throwaway-postgres.ts'
import { type DemoFacts, seedCast } from '../src/demo/seed.ts'
import { openService, type Service } from '../src/service.ts'

/** The settings of a measured service: limits, request ids and logging are on, the demo is not. */
export async function subjectSettings(database_url: string, data_dir: string) {
  const port = await freePort()
  return {
    NODE_ENV: 'development',
    DEMO: '0',
    DATABASE_URL: database_url,
    DATA_DIR: data_dir,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    SECRET_KEY: systemRandom.bytes(32).toString('hex'),
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'info',
  }
}

/** Opens the service in this process, to fill its database with the cast of the demo and more. */
export async function openSubject(
  settings: Record<string, string>,
): Promise<{ service: Service; demo: DemoFacts }> {
  const service = await openService(readConfig({ ...settings, LOG_LEVEL: 'warn' }, systemRandom))
  const demo = await seedCast(service.world, {
    sample_site_url: 'http://localhost:4999',
    sign_in_site_url: 'http://localhost:4998',
    kept: undefined,
  })
  return { service, demo }
}
