/** How a command ends: its exit code, and the error that leads to one. */
import { isPurserError, type PurserError, RateLimitedError, UnreachableError } from '@purser/client'

/** The exit codes, for scripts. The README documents them. */
export const EXIT = {
  ok: 0,
  /** The answer is no: not entitled, unknown, pending, or a check that failed. */
  negative: 1,
  /** Wrong arguments, settings or file. Nothing was sent. */
  usage: 2,
  /** The service refused the request. */
  refused: 3,
  /** No usable answer: network error, timeout, 5xx or rate limit. Try again later. */
  unreachable: 4,
  /** `purser login` is needed. */
  sign_in: 5,
  /** The app has changed since the last pull, or the file has, and a pull would lose it. */
  conflict: 6,
  /** An error of this program. */
  internal: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A field that the service or this program found invalid. */
export interface InvalidField {
  path: string
  message: string
}

/** An expected error: its message is for the person, its code for programs. */
export class CliError extends Error {
  readonly code: string
  readonly exit: ExitCode
  readonly fields: InvalidField[]
  readonly request_id: string | null

  constructor(
    code: string,
    message: string,
    exit: ExitCode,
    more: { fields?: InvalidField[]; request_id?: string | null } = {},
  ) {
    super(message)
    this.code = code
    this.exit = exit
    this.fields = more.fields ?? []
    this.request_id = more.request_id ?? null
  }
}

/** The error for wrong arguments, settings or files. */
export function wrongUse(message: string, fields: InvalidField[] = []): CliError {
  return new CliError('wrong_use', message, EXIT.usage, { fields })
}

/** Any thrown value as an error with an exit code; undefined if it is a bug of this program. */
export function asCliError(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error
  if (!isPurserError(error)) return undefined
  const { code, request_id } = error
  // The message of the client names its own option, base_url.
  const message = code === 'unexpected_answer' ? notPurser(error) : error.message
  const fields = 'fields' in error ? (error.fields as InvalidField[]) : []
  return new CliError(code, message, exitOf(error), { fields, request_id })
}

function notPurser({ status }: PurserError): string {
  return `The response is not from Purser (status ${status}). Check the URL of the service: --url, PURSER_URL, or "url" in purser.json.`
}

function exitOf(error: PurserError): ExitCode {
  if (error instanceof UnreachableError || error instanceof RateLimitedError) {
    return EXIT.unreachable
  }
  return ['unknown_key', 'unknown_order'].includes(error.code) ? EXIT.negative : EXIT.refused
}
