import { join } from 'node:path'
import type { Config } from '#platform/config'
import { DatabaseNotOpened, isNoDatabase } from '#platform/open-database'
import { deriveMaster } from '#platform/secrets'
import type { TestModeSettings } from '#platform/test-mode-settings'

/**
 * The settings of the test mode beside live mode: its own origin, data and keys, the sandbox as its
 * processor, and the same mail server, operator and proxies.
 */
export function configOfTestMode(live: Config, settings: TestModeSettings): Config {
  return {
    ...live,
    ...settings,
    live_url: live.base_url,
    test_mode: undefined,
    data_dir: join(live.data_dir, 'test-mode'),
    secret_keys: live.secret_keys.map((key) => deriveMaster(key, 'test mode')),
    stripe: undefined,
    tax_provider: 'table',
    demo: false,
  }
}

/** Why test mode cannot be opened, as a sentence where an operator can fix it. */
export function missingDatabase(error: unknown): string | undefined {
  const cause = error instanceof DatabaseNotOpened ? error.cause : error
  if (!isNoDatabase(cause)) return undefined
  return `${cause.message}: create it for test mode, or name another with TEST_MODE_DATABASE_URL.`
}
