import pino from 'pino'
import { logOutput } from '#platform/log-output'
import type { Processes } from '#platform/processes'
import { redactLine } from '#platform/redact'
import type { TelemetrySettings } from '#platform/telemetry-settings'

export type Log = pino.Logger

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'client_secret',
  'key',
  'license_key',
  'token',
  'svc_order',
  'email',
]

/**
 * The fields logged for an error. Others (a row that a database refused, an object of a processor)
 * may contain secrets and buyers' data, and are left out.
 */
function errorFields(error: unknown) {
  if (error instanceof Error) {
    const { type, message, stack, code } = pino.stdSerializers.err(error)
    return { type, message, stack, code }
  }
  // The job queue reports copies of errors, which are none themselves.
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error)
  const { message, stack, code } = error as NodeJS.ErrnoException
  return { message, stack, code }
}

/** What each line says about the process that wrote it. */
export interface LogOrigin {
  /** The name of its node. */
  node: string
  role: Processes['role']
}

/** The process of these settings. */
export function originOf({
  node_name,
  role,
}: Pick<TelemetrySettings & Processes, 'node_name' | 'role'>): LogOrigin {
  return { node: node_name, role }
}

/** More fields of each line, such as the trace that it belongs to; called once for each line. */
export type LogContext = () => object

interface LogOptions {
  origin?: LogOrigin
  context?: LogContext | undefined
  /** Called with each line as well. */
  copy?: ((line: string) => void) | undefined
}

/**
 * The service's structured log, one JSON line per event. Fields that may contain secrets are
 * removed, and secrets and email addresses in any other text. docs/operate/monitoring.md documents
 * the fields.
 */
export function openLog(
  level: string,
  destination?: pino.DestinationStream,
  { origin, context, copy }: LogOptions = {},
): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`])
  const options: pino.LoggerOptions = {
    level,
    base: origin ?? null,
    ...(context && { mixin: context }),
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '[cut]' },
    serializers: { error: errorFields },
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: redactLine },
  }
  const output = destination ?? logOutput()
  if (!copy) return pino(options, output)
  const both = (line: string) => {
    output.write(line)
    copy(line)
  }
  return pino(options, { write: both })
}
