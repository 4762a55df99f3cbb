/** The agent endpoint: one tool call is one request (spec: Agent-management endpoint). */
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, EXIT, type InvalidField } from '../exit.ts'
import { secondsText } from '../terminal.ts'
import { USER_AGENT } from '../version.ts'
import { accessToken } from './sign-in.ts'

const PROTOCOL = '2025-11-25'
const TIMEOUT_MS = 30_000
const MAX_WAIT_SECONDS = 65

/** Calls a tool of the agent endpoint. Throws CliError if it is refused. */
export type CallTool = <Result>(name: string, args?: object) => Promise<Result>

/** The agent endpoint of a service, as the person who signed in. */
export function openAgent(url: string, note: (text: string) => void): CallTool {
  let id = 0
  const send = async (body: object): Promise<Response> => {
    let token = await accessToken(url)
    let refused: string | undefined
    let waits = 0
    while (true) {
      const answer = await post(`${url}/mcp`, token, body)
      if (answer.status === 401 && refused === undefined) {
        // It may have expired while a rate limit lasted.
        refused = token
        token = await accessToken(url, refused)
      } else if (answer.status === 429 && waits < 2) {
        waits++
        await waitFor(answer, note)
      } else return answer
    }
  }
  return async <Result>(name: string, args: object = {}) => {
    const params = { name, arguments: args }
    const answer = await send({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params })
    return (await resultOf(answer)) as Result
  }
}

async function post(endpoint: string, token: string, body: object): Promise<Response> {
  try {
    return await fetch(endpoint, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'mcp-protocol-version': PROTOCOL,
        'user-agent': USER_AGENT,
      },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    throw unreachable('The agent endpoint did not answer.')
  }
}

/** A refused request changed nothing, so it can be repeated after its Retry-After. */
async function waitFor(answer: Response, note: (text: string) => void): Promise<void> {
  const seconds = Math.max(1, Number(answer.headers.get('retry-after')) || 1)
  if (seconds > MAX_WAIT_SECONDS) throw unreachable(`Too many calls. Wait ${secondsText(seconds)}.`)
  note(`Too many calls. Continuing in ${secondsText(seconds)}.`)
  await sleep(seconds * 1000)
}

interface Failure {
  error?: string
  message?: string
  fields?: InvalidField[]
  request_id?: string
}

async function resultOf(answer: Response): Promise<unknown> {
  if (answer.status === 429) throw unreachable('Too many calls. Try again in a minute.')
  if (answer.status >= 500) throw unreachable(`The agent endpoint answered ${answer.status}.`)
  const body = await answer.json().catch(() => undefined)
  const { result, error } = (body ?? {}) as {
    result?: { isError?: boolean; content: [{ text: string }]; structuredContent?: unknown }
    // A request that is refused before its call is read has a code here.
    error?: { message: string; data?: Failure } | string | null
  }
  if (result?.isError) throw refused(JSON.parse(result.content[0].text))
  if (result) return result.structuredContent
  if (error && typeof error === 'object') throw refused({ ...error.data, message: error.message })
  throw refused((body ?? {}) as Failure, answer.status)
}

/** Errors of a call that are answered by 5xx elsewhere: the same call may work later. */
const OUTAGES = ['service_unavailable', 'internal_error']

function refused({ error, message, fields, request_id }: Failure, status?: number): CliError {
  const code = error ?? 'unexpected_answer'
  if (code === 'invalid_token') {
    return new CliError(code, 'Your sign-in has ended. Run purser login.', EXIT.sign_in)
  }
  if (code === 'insufficient_scope') {
    const text = `${message ?? 'A scope is missing.'} Run purser login and allow it.`
    return new CliError(code, text, EXIT.sign_in)
  }
  const text = message ?? `The agent endpoint answered ${status}, which is not Purser's answer.`
  const exit = OUTAGES.includes(code) ? EXIT.unreachable : EXIT.refused
  return new CliError(code, text, exit, {
    // A fault of the whole request is its message.
    ...(fields && { fields: fields.filter(({ path }) => path !== '') }),
    request_id: request_id ?? null,
  })
}

function unreachable(message: string): CliError {
  return new CliError('unreachable', message, EXIT.unreachable)
}
