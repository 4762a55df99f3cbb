import { resolve } from 'node:path'
import { z } from 'zod'
import { developmentKey } from '#platform/data-folder'
import { missingOperator, OPERATOR_SETTINGS, type Operator, operatorOf } from '#platform/operator'
import { PROCESS_SETTINGS, type Processes, readProcesses } from '#platform/processes'
import type { Random } from '#platform/random'
import {
  mailServer,
  masterKeys,
  networks,
  origin,
  sender,
  url,
  valkeyServer,
} from '#platform/setting-values'
import { type Bucket, readBucket } from '#platform/storage-url'
import {
  metricsFault,
  portNumber,
  TELEMETRY_SETTINGS,
  type TelemetrySettings,
  telemetryOf,
} from '#platform/telemetry-settings'
import { readTestMode, type TestModeSettings } from '#platform/test-mode-settings'

/** The settings of the service, read once at startup. */
export interface Config extends Processes, TelemetrySettings {
  production: boolean
  port: number
  host: string
  /** The service's own URL, without a trailing slash. */
  base_url: string
  data_dir: string
  database_url: string | undefined
  valkey_url: string | undefined
  /** Where pictures are stored; undefined: in the database. */
  storage: Bucket | undefined
  smtp_url: string | undefined
  mail_from: string
  /** Master keys, the current one first. */
  secret_keys: Buffer[]
  /** Whether a start applies missing migrations; otherwise it refuses without them. */
  migrates_on_start: boolean
  demo: boolean
  log_level: string
  /** The Stripe account that moves the money; undefined: the sandbox, in which no money moves. */
  stripe:
    | {
        secret_key: string
        /** The secret of each endpoint to which Stripe sends events. */
        webhook_secrets: string[]
        /** The URL of Stripe's API; undefined: the real one. */
        api_base: string | undefined
      }
    | undefined
  /** The test mode beside live mode; undefined: none, or the sandbox is all there is. */
  test_mode: TestModeSettings | undefined
  /** The origin of live mode, in the settings of the test mode beside it; otherwise undefined. */
  live_url: string | undefined
  /** What computes the tax. */
  tax_provider: 'table' | 'stripe'
  /** Addresses or networks of proxies whose X-Forwarded-For is trusted. */
  trusted_proxies: string[]
  /** The operator of the service. */
  operator: Operator
}

/** A setting that cannot be used; its message names the variable. */
export class ConfigError extends Error {}

const SETTINGS = z.object({
  ...OPERATOR_SETTINGS,
  ...PROCESS_SETTINGS,
  ...TELEMETRY_SETTINGS,
  NODE_ENV: z
    .enum(['production', 'development', 'test'], 'must be production, development or test')
    .default('development'),
  PORT: portNumber().default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  BASE_URL: origin().optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  VALKEY_URL: valkeyServer().optional(),
  STORAGE_URL: z
    .string()
    .refine(
      (text) => readBucket(text) !== undefined,
      'must be https://KEY_ID:SECRET@host/bucket, if needed with ?region=; write / in a key as %2F',
    )
    .optional(),
  SMTP_URL: mailServer().optional(),
  MAIL_FROM: sender().optional(),
  SECRET_KEY: masterKeys().optional(),
  MIGRATE_ON_START: z.enum(['0', '1'], 'must be 0 or 1').default('1'),
  DEMO: z.enum(['0', '1'], 'must be 0 or 1').optional(),
  LOG_LEVEL: z
    .enum(
      ['debug', 'info', 'warn', 'error', 'silent'],
      'must be debug, info, warn, error or silent',
    )
    .default('info'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^[rs]k_(test|live)_\w+$/, 'must be a secret or restricted key: sk_test_…, rk_live_…')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .refine(
      (text) => text.split(',').every((each) => /^whsec_\S+$/.test(each.trim())),
      'must be signing secrets of webhook endpoints (whsec_…), separated by commas',
    )
    .optional(),
  STRIPE_API_BASE: url('http:', 'https:').optional(),
  TEST_MODE_URL: origin().optional(),
  TEST_MODE_DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  TAX_PROVIDER: z.enum(['table', 'stripe'], 'must be table or stripe').default('table'),
  TRUST_PROXY: networks().optional(),
})

/** The variables that the service reads. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS.shape)

/** Reads the settings from the environment; throws a ConfigError that names each wrong one. */
export function readConfig(env: Record<string, string | undefined>, random: Random): Config {
  // An empty variable means the same as an absent one, as shells and compose files have it.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = SETTINGS.safeParse(given)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`The settings cannot be used.\n  ${faults.join('\n  ')}`)
  }
  const settings = parsed.data
  const production = settings.NODE_ENV === 'production'
  if (production) demand(settings)
  else stayLocal(settings)
  const stripe = stripeOf(settings)
  const data_dir = resolve(settings.DATA_DIR)
  const base_url = new URL(settings.BASE_URL ?? `http://localhost:${settings.PORT}`)
  const operator = operatorOf(settings, base_url.origin)
  const test_mode = stripe && readTestMode(settings, base_url)
  if (test_mode && 'fault' in test_mode) throw new ConfigError(test_mode.fault)
  const processes = readProcesses(settings)
  if ('fault' in processes) throw new ConfigError(processes.fault)
  const isDivided = processes.role !== 'all' || processes.workers > 1
  const key = settings.SECRET_KEY ?? developmentKey(data_dir, random)
  if (typeof key !== 'string') throw new ConfigError(key.fault)
  const telemetry = telemetryOf(settings)
  const taken = metricsFault(telemetry, { port: settings.PORT, workers: processes.workers })
  if (taken) throw new ConfigError(taken)
  if (settings.OTEL_LOGS_EXPORTER === 'otlp' && !telemetry.collector) {
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT: must be set for OTEL_LOGS_EXPORTER=otlp.')
  }
  return {
    ...processes,
    production,
    port: settings.PORT,
    host: settings.HOST,
    base_url: base_url.origin,
    data_dir,
    database_url: settings.DATABASE_URL,
    valkey_url: settings.VALKEY_URL,
    storage: settings.STORAGE_URL ? readBucket(settings.STORAGE_URL) : undefined,
    smtp_url: settings.SMTP_URL,
    mail_from: senderOf(settings.MAIL_FROM ?? `receipts@${base_url.hostname}`, operator),
    secret_keys: secretKeys(key),
    migrates_on_start: settings.MIGRATE_ON_START === '1',
    demo: settings.DEMO === undefined ? !production && !isDivided : settings.DEMO === '1',
    log_level: settings.LOG_LEVEL,
    ...telemetry,
    stripe,
    test_mode,
    live_url: undefined,
    tax_provider: settings.TAX_PROVIDER,
    trusted_proxies: trustedProxies(settings),
    operator,
  }
}

type Settings = z.infer<typeof SETTINGS>

function stripeOf(settings: Settings): Config['stripe'] {
  const { STRIPE_SECRET_KEY: secret_key, STRIPE_WEBHOOK_SECRET: webhook_secret } = settings
  if (!secret_key) {
    const idle = [
      settings.STRIPE_WEBHOOK_SECRET && 'STRIPE_WEBHOOK_SECRET',
      settings.STRIPE_API_BASE && 'STRIPE_API_BASE',
      settings.TEST_MODE_URL && 'TEST_MODE_URL',
      settings.TEST_MODE_DATABASE_URL && 'TEST_MODE_DATABASE_URL',
      settings.TAX_PROVIDER === 'stripe' && 'TAX_PROVIDER=stripe',
    ].filter(Boolean)
    if (idle.length === 0) return undefined
    throw new ConfigError(`STRIPE_SECRET_KEY: must be set for ${idle.join(', ')}.`)
  }
  if (!webhook_secret) {
    throw new ConfigError('STRIPE_WEBHOOK_SECRET: must be set with STRIPE_SECRET_KEY.')
  }
  const isLive = isLiveKey(secret_key)
  if (isLive && settings.NODE_ENV !== 'production') {
    throw new ConfigError('STRIPE_SECRET_KEY: a live key is accepted in production only.')
  }
  if (isLive && settings.STRIPE_API_BASE) {
    throw new ConfigError('STRIPE_API_BASE: must not be set with a live key.')
  }
  const webhook_secrets = webhook_secret.split(',').map((each) => each.trim())
  return { secret_key, webhook_secrets, api_base: settings.STRIPE_API_BASE }
}

/** Whether a Stripe key is a live mode key, which moves real money. */
export function isLiveKey(secret_key: string): boolean {
  return /^[rs]k_live_/.test(secret_key)
}

/**
 * Whether every page, email and PDF says that this is test mode: the one beside live mode, and a
 * service that has only Stripe's test keys.
 */
export function isMarkedAsTest({ live_url, stripe, test_mode }: Config): boolean {
  if (live_url !== undefined) return true
  return stripe !== undefined && !isLiveKey(stripe.secret_key) && test_mode === undefined
}

/** The sender of emails; a bare address gets the operator's name. */
function senderOf(address: string, { legal_name }: Operator): string {
  return address.includes('<') ? address : `"${legal_name.replaceAll('"', "'")}" <${address}>`
}

function trustedProxies({ TRUST_PROXY: text }: Settings): string[] {
  return !text || text === 'none' ? [] : text.split(',').map((each) => each.trim())
}

/** Development shows every email to anyone who asks, so it only runs on a local machine. */
function stayLocal(settings: Settings): void {
  for (const name of ['BASE_URL', 'TEST_MODE_URL'] as const) {
    const text = settings[name]
    if (!text || isLoopback(new URL(text).hostname)) continue
    throw new ConfigError(
      `${name}: must be on localhost, 127.0.0.1 or [::1] in development. For any other address ` +
        'set NODE_ENV=production.',
    )
  }
}

/** Whether a host name or an IP address is this machine's own. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[?::1\]?|::ffff:127(\.\d+){3})$/.test(host)
}

function demand(settings: Settings): void {
  const required = (['SECRET_KEY', 'BASE_URL', 'SMTP_URL', 'TRUST_PROXY'] as const).filter(
    (each) => !settings[each],
  )
  const missing = [...required, ...missingOperator(settings)]
  if (missing.length > 0) {
    throw new ConfigError(
      `In production these must be set: ${missing.join(', ')}. \`npm run setup\` asks for the ` +
        "operator's. TRUST_PROXY names the proxies in front of the service, or is none.",
    )
  }
  if (!settings.BASE_URL?.startsWith('https:')) {
    throw new ConfigError('BASE_URL: must start with https:// in production.')
  }
}

function secretKeys(text: string): Buffer[] {
  return text.split(',').map((key) => Buffer.from(key.trim(), 'hex'))
}
