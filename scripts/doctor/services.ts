import { lookup } from 'node:dns/promises'
import { Redis } from 'iovalkey'
import { systemClock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import {
  compareClocks,
  type Diagnosis,
  diagnoseEncryption,
  fault,
  ok,
  reason,
  warning,
} from '#platform/diagnosis'
import { verifyMail } from '#platform/mail'
import { reachOf } from '#platform/networks'
import { openStorage } from '#platform/storage'
import { checkSetup } from '../../src/stripe/check.ts'
import { STRIPE_URL } from '../../src/stripe/client.ts'

const CONNECT_MS = 5_000

/** Connects and signs in to the mail server; sends nothing. */
export async function diagnoseMail({ smtp_url }: Config): Promise<Diagnosis[]> {
  if (!smtp_url) return [ok('mail', 'the development mailbox')]
  const { hostname } = new URL(smtp_url)
  try {
    await verifyMail(smtp_url)
    return [ok('mail', `${hostname} accepts the connection and its sign-in`)]
  } catch (error) {
    const next = 'Correct SMTP_URL: host, port, user and password. TLS is required.'
    return [fault('mail', `${hostname}: ${reason(error)}`, next)]
  }
}

/** Reads the version of the server that shares rate limits. */
export async function diagnoseValkey(config: Config): Promise<Diagnosis[]> {
  const { valkey_url, role, workers } = config
  if (!valkey_url) {
    if (role === 'all' && workers === 1) return [ok('valkey', 'not used: one process counts alone')]
    const text = 'each process counts rate limits alone, so visitors get several times the limits'
    return [warning('valkey', text, 'Set VALKEY_URL to a server that all processes share.')]
  }
  const client = new Redis(valkey_url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    retryStrategy: () => null,
  })
  let failed: unknown
  client.on('error', (error) => {
    failed = error
  })
  const { host } = new URL(valkey_url)
  try {
    await client.connect()
    await client.ping()
    await selectDatabase(client)
    return [ok('valkey', `${host} answers`), await encryptionOf(new URL(valkey_url))]
  } catch (error) {
    const next = 'Start the server, or correct VALKEY_URL. Without it each process counts alone.'
    return [fault('valkey', `${host}: ${reason(failed ?? error)}`, next)]
  } finally {
    client.disconnect()
  }
}

/** Selects the URL's database again: the client ignores a refusal, and stays in database 0. */
async function selectDatabase(client: Redis): Promise<void> {
  const { db = 0 } = client.options
  if (db !== 0) await client.select(db)
}

async function encryptionOf({ protocol, hostname }: URL): Promise<Diagnosis> {
  // An IPv6 address in a URL has brackets.
  const { address } = await lookup(hostname.replace(/^\[|\]$/g, ''))
  return diagnoseEncryption('Valkey', {
    is_encrypted: protocol === 'rediss:' || protocol === 'valkeys:',
    reach: reachOf(address),
    next: 'Use rediss:// in VALKEY_URL.',
  })
}

/** Looks at the processor's account: what `npm run stripe:check` lists as missing is a fault. */
export async function diagnoseProcessor(config: Config): Promise<Diagnosis[]> {
  const { stripe, base_url, operator, tax_provider, production } = config
  if (!stripe) {
    if (!production) return [ok('processor', 'the sandbox, in which no money moves')]
    const text = 'the sandbox: no real money is taken or paid'
    return [warning('processor', text, 'Set STRIPE_SECRET_KEY to sell.')]
  }
  const { statement_descriptor } = operator
  try {
    const found = await checkSetup(stripe, { base_url, statement_descriptor, tax_provider })
    return found.map(({ what, is_good, next = '' }) =>
      is_good ? ok('processor', what) : fault('processor', `missing: ${what}`, next),
    )
  } catch (error) {
    const next = 'Correct STRIPE_SECRET_KEY, or let the service reach api.stripe.com.'
    return [fault('processor', `Stripe: ${reason(error)}`, next)]
  }
}

const HALF_A_SECOND_MS = 500

/**
 * Compares the clock of this machine with Stripe's. Without Stripe, it is compared with
 * PostgreSQL's, beside the other checks of a database, or there is no other clock.
 */
export async function diagnoseClock(
  { stripe, database_url, production }: Config,
  now = () => systemClock.now(),
): Promise<Diagnosis[]> {
  const next = 'Synchronize the clock of this machine (NTP).'
  if (!stripe) {
    if (database_url) return []
    const text = 'not compared: with neither PostgreSQL nor Stripe there is no other clock'
    return [production ? warning('clock', text, next) : ok('clock', text)]
  }
  try {
    const before = now()
    const { headers } = await fetch(new URL('/v1/account', stripe.api_base ?? STRIPE_URL), {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(CONNECT_MS),
    })
    const seconds = Date.parse(headers.get('date') ?? '')
    if (Number.isNaN(seconds)) throw new Error('the answer has no Date header')
    // The header has whole seconds, rounded down.
    const at = new Date(seconds + HALF_A_SECOND_MS)
    return [compareClocks('Stripe', at, [before, now()])]
  } catch (error) {
    const { cause } = error as Error
    return [warning('clock', `not compared with Stripe: ${reason(cause ?? error)}`, next)]
  }
}

const PROBE = 'doctor/probe.txt'
// The storage of a bucket reads no database.
const NO_DATABASE = {} as Db

/** Writes, reads and removes a small file in the bucket. */
export async function diagnoseStorage({ storage: bucket }: Config): Promise<Diagnosis[]> {
  if (!bucket) return [ok('storage', 'pictures are in the database')]
  const storage = openStorage(NO_DATABASE, bucket)
  const content = Buffer.from('Written by npm run doctor.')
  try {
    await storage.put(systemClock.now(), PROBE, { content, type: 'text/plain' })
    const read = await storage.get(PROBE)
    await storage.remove(PROBE)
    if (!read?.equals(content)) throw new Error('a file that was written could not be read')
    return [ok('storage', `${bucket.url} stores and returns a file`)]
  } catch (error) {
    const next = 'Correct STORAGE_URL, or the permissions of its key: read, write and delete.'
    return [fault('storage', reason(error), next)]
  }
}
