import pino from 'pino'

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
  if (!(error instanceof Error)) return String(error)
  const { type, message, stack, code } = pino.stdSerializers.err(error)
  return { type, message, stack, code }
}

// Lines are written together, as each write wakes a thread. The end of the process writes the rest.
const WRITTEN_TOGETHER = { minLength: 8_192, periodicFlush: 100 }

/**
 * The service's structured log, one JSON line per event; fields that may contain secrets are
 * removed.
 */
export function openLog(level: string, destination?: pino.DestinationStream): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`])
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '[cut]' },
    serializers: { error: errorFields },
    formatters: { level: (label) => ({ level: label }) },
  }
  return pino(options, destination ?? pino.destination({ sync: false, ...WRITTEN_TOGETHER }))
}
