/** The endpoints of test mode: scenarios and events, with the credentials of an app. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from './context.ts'
import { CliError, EXIT, type InvalidField } from './exit.ts'
import { readSecret, requireClientId, requireUrl } from './settings.ts'
import { secondsText, type Terminal } from './terminal.ts'
import { USER_AGENT } from './version.ts'

const TIMEOUT_MS = 15_000

export interface ScenarioFacts {
  name: string
  title: string
  description: string
  needs_renewal: boolean
  retries: string[]
}

/** A run of a scenario; `status` is `running`, `completed`, `stuck` or `failed`. */
export interface RunState {
  id: string
  scenario: string
  status: string
  note: string
  license_id: string | null
  license_key: string | null
  license_status: string | null
  entitled: boolean | null
}

export interface TimelineItem {
  at: string
  kind: string
  text: string
  why: string
  status: string | null
  amount: string | null
  license_id: string | null
  email: string | null
}

export interface TimelinePage {
  events: TimelineItem[]
  cursor: string
  has_more: boolean
  now: string
}

/** Sends a request to test mode. `retry_seconds` is set where the response asks for a wait. */
export type SendTest = <Body>(
  path: string,
  options?: { body?: object; query?: Record<string, string>; signal?: AbortSignal },
) => Promise<{ body: Body; retry_seconds: number | null }>

/** An error of test mode that may be over after these seconds. */
export class Retryable extends CliError {
  readonly retry_seconds: number

  constructor(message: string, retry_seconds: number) {
    super('unreachable', message, EXIT.unreachable)
    this.retry_seconds = retry_seconds
  }
}

/** Says that test mode did not answer, and waits until it may. */
export async function waitFor(
  { message, retry_seconds }: Retryable,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<void> {
  terminal.note(`${message} Trying again in ${secondsText(retry_seconds)}.`)
  await sleep(retry_seconds * 1000, undefined, signal && { signal })
}

/** Opens the endpoints of test mode. Throws CliError where a setting is missing. */
export async function openTestMode(context: CommandContext): Promise<SendTest> {
  const { settings, options, terminal } = context
  const base = `${requireUrl(settings)}/api/v1/test`
  const client_id = requireClientId(settings)
  const secret = await readSecret(options, terminal)
  const credentials = [client_id, secret].map(encodeURIComponent).join(':')
  const headers = {
    authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    'user-agent': USER_AGENT,
  }
  return async <Body>(path: string, { body, query = {}, signal }: Parameters<SendTest>[1] = {}) => {
    const search = new URLSearchParams(query)
    const url = `${base}${path}${search.size > 0 ? `?${search}` : ''}`
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const init: RequestInit = {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(body && { body: JSON.stringify(body) }),
    }
    const received = async (): Promise<[Response, text: string]> => {
      const answer = await fetch(url, init)
      return [answer, await answer.text()]
    }
    const [answer, text] = await received().catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new Retryable('Test mode did not answer. Check the URL and your network.', 5)
    })
    return read<Body>(answer, text)
  }
}

interface RefusedBody {
  error?: string
  message?: string
  fields?: InvalidField[]
  request_id?: string
}

function read<Body>({ headers, status, ok }: Response, text: string) {
  const retry_after = Number(headers.get('retry-after')) || null
  if (status === 429 || status >= 500) {
    throw new Retryable(`The service answered ${status}.`, retry_after ?? 5)
  }
  const json = objectIn(text)
  if (ok && json) return { body: json as Body, retry_seconds: retry_after }
  const { error, message, fields, request_id }: RefusedBody = json ?? {}
  if (error === 'not_found') {
    const advice = 'This URL has no test mode. Use the URL of test mode, with its client secret.'
    throw new CliError('not_found', advice, EXIT.refused)
  }
  throw new CliError(
    error ?? 'unexpected_answer',
    message ?? `The service answered ${status}, which is not Purser's answer.`,
    error === 'test_clock_busy' ? EXIT.unreachable : EXIT.refused,
    { ...(fields && { fields }), request_id: request_id ?? null },
  )
}

/** The object that a text is in JSON; undefined for any other text. */
function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
