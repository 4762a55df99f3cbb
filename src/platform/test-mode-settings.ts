/** The address and the storage of the test mode beside live mode. */
export interface TestModeSettings {
  /** Its origin, on a host of its own: cookies do not tell ports of one host apart. */
  base_url: string
  /** Its PostgreSQL database; undefined on the embedded engine. */
  database_url: string | undefined
}

interface GivenSettings {
  NODE_ENV: 'production' | 'development' | 'test'
  PORT: number
  DATABASE_URL?: string | undefined
  TEST_MODE_URL?: string | undefined
  TEST_MODE_DATABASE_URL?: string | undefined
}

/**
 * The test mode that these settings enable: none without a URL, which only development has by
 * default. A fault names the invalid variable.
 */
export function readTestMode(
  settings: GivenSettings,
  live: URL,
): TestModeSettings | { fault: string } | undefined {
  const { NODE_ENV, DATABASE_URL, TEST_MODE_DATABASE_URL } = settings
  const preset = NODE_ENV === 'development' ? `http://test.localhost:${settings.PORT}` : undefined
  const text = settings.TEST_MODE_URL ?? preset
  if (text === undefined) {
    if (!TEST_MODE_DATABASE_URL) return undefined
    return { fault: 'TEST_MODE_URL: must be set for TEST_MODE_DATABASE_URL.' }
  }
  const { origin, protocol, hostname } = new URL(text)
  if (hostname === live.hostname) {
    return { fault: 'TEST_MODE_URL: must be on another host than BASE_URL, such as test.…' }
  }
  if (protocol !== live.protocol) {
    return { fault: `TEST_MODE_URL: must start with ${live.protocol}// as BASE_URL does.` }
  }
  const database_url = TEST_MODE_DATABASE_URL ?? (DATABASE_URL && besideOf(DATABASE_URL))
  if (database_url !== undefined && database_url === DATABASE_URL) {
    return { fault: 'TEST_MODE_DATABASE_URL: must be another database than DATABASE_URL.' }
  }
  return { base_url: origin, database_url }
}

/**
 * The database of test mode by default: the live one's name with `_test`. A URL without a name
 * means the database of its user.
 */
function besideOf(database_url: string): string {
  const url = new URL(database_url)
  const name = url.pathname.slice(1) || url.username
  url.pathname = `${name}_test`
  return url.href
}
