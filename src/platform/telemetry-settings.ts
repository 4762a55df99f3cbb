import { hostname } from 'node:os'
import { z } from 'zod'

/** The settings for metrics, traces and log lines. */
export interface TelemetrySettings {
  /** What log lines and traces call this machine. */
  node_name: string
  /** Where metrics are served to Prometheus; undefined if they are off. */
  metrics: { port: number; host: string } | undefined
  /** Where traces, and log lines if it receives them, are sent by OTLP; undefined if nowhere. */
  collector: CollectorConfig | undefined
}

interface CollectorConfig {
  endpoint: string
  service_name: string | undefined
  receives_log: boolean
  /** The part of all traces that is sent, from 0 to 1. */
  sampled: number
}

/** The standard names of samplers that make sense here: all traces, none, or a part of them. */
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const
const EVERY_SAMPLER = SAMPLERS.flatMap((name) => [name, `parentbased_${name}`] as const)

/** The variables of these settings; other standard ones of OpenTelemetry are read by its SDK. */
export const TELEMETRY_SETTINGS = {
  NODE_NAME: z
    .string()
    .regex(
      /^[\w.-]{1,63}$/,
      'must be 1 to 63 of the characters a-z, A-Z, 0-9, dot, hyphen and underscore',
    )
    .optional(),
  METRICS_PORT: portNumber().optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine(
      (text) => /^https?:\/\/./.test(text) && URL.canParse(text),
      'must be an address that starts with http:// or https://',
    )
    .optional(),
  OTEL_LOGS_EXPORTER: z.enum(['none', 'otlp'], 'must be none or otlp').default('none'),
  OTEL_TRACES_SAMPLER: z
    .enum(EVERY_SAMPLER, `must be one of ${EVERY_SAMPLER.join(', ')}`)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|[01]?\.\d+)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .refine((part) => part <= 1, 'must be a number from 0 to 1')
    .default(1),
  OTEL_SERVICE_NAME: z.string().max(100, 'must have at most 100 characters').optional(),
}

const LAST_PORT = 65_535

/** A text as the number of a port. */
export function portNumber() {
  return z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number from 1 to 65535')
    .transform(Number)
    .refine((port) => port >= 1 && port <= LAST_PORT, 'must be a port number from 1 to 65535')
}

interface Listening {
  port: number
  workers: number
}

/**
 * Why the processes of a node cannot serve their metrics on METRICS_PORT and the ports after it,
 * one each; undefined if they can.
 */
export function metricsFault(
  { metrics }: TelemetrySettings,
  { port, workers }: Listening,
): string | undefined {
  if (!metrics?.port) return undefined
  const last = metrics.port + workers - 1
  const reason = `with WORKERS=${workers}, each process has its own port from this one on`
  if (last > LAST_PORT) {
    return `METRICS_PORT: must be at most ${LAST_PORT - workers + 1}: ${reason}.`
  }
  if (port < metrics.port || port > last) return undefined
  const more = workers > 1 ? ` (${reason})` : ''
  return `METRICS_PORT: must not be PORT (${port}), which is open to the public${more}.`
}

type GivenTelemetry = z.infer<z.ZodObject<typeof TELEMETRY_SETTINGS>>

/** The settings that these variables mean. */
export function telemetryOf(given: GivenTelemetry): TelemetrySettings {
  const { METRICS_PORT: port, METRICS_HOST: host, OTEL_SERVICE_NAME: service_name } = given
  const receives_log = given.OTEL_LOGS_EXPORTER === 'otlp'
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: part } = given
  const sampled = sampler.endsWith('off') ? 0 : sampler.endsWith('ratio') ? part : 1
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')
  return {
    node_name: given.NODE_NAME ?? hostname(),
    metrics: port === undefined ? undefined : { port, host },
    collector: endpoint ? { endpoint, service_name, receives_log, sampled } : undefined,
  }
}
