import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import {
  type Answer,
  type Call,
  type Endpoint,
  JSON_TYPE,
  jsonOf,
  OPEN_TO_PAGES,
  patternOf,
  problemAnswer,
  readCall,
  refusalOf,
} from '#http/endpoint'
import { BODY_LIMIT, hasPlainHeaders, logBug, problemOf } from '#platform/http'
import type { Limits } from '#platform/limits'
import { takePoint } from '#platform/route-limits'
import type { ServedRequest, ServedRoute } from '#platform/served-request'
import type { ShortcutParts } from '#platform/shortcuts'
import { withoutSlash } from '#platform/text'
import { openTurnEnd } from '#platform/turn-end'

/** Headers, each name before its value: Node sends a list in less time than an object. */
type HeaderList = string[]

/** An endpoint, and how its address is recognized. */
interface Target {
  row: Endpoint
  route: ServedRoute
  /** The headers of all its responses. */
  headers: Readonly<HeaderList>
  /** The address before its parameter, or all of it, without a slash at the end. */
  before: string
  after: string
  param: string | undefined
}

/** An endpoint that a request is for, with the parameters of its address. */
interface Match {
  target: Target
  params: Record<string, string>
}

/** A parameter that needs no decoding. */
const PLAIN = /^[\w.~-]+$/
const PLAIN_JSON = /^application\/json(; ?charset=utf-8)?$/i

/**
 * Answers plain requests to endpoints without the framework, whose overhead is greater than the
 * work of most of them (decision 130). A request with anything unusual is left to the endpoint's
 * route.
 */
export function addShortcut(app: FastifyInstance, rows: readonly Endpoint[], limits: Limits): void {
  const { shortcuts, shortcut_parts: parts } = app
  const targets = rows.map((row) => targetOf(row, parts.headers))
  const atTurnEnd = openTurnEnd()
  shortcuts.push((raw, response) => {
    const match = matchOf(targets, raw)
    if (!match || !isPlain(raw)) return false
    const started = performance.now()
    const request = parts.served(raw, match.target.route)
    const work = { match, request, response, started, headers: idHeader(request) }
    parts.onArrival(request, () => void serve(work))
    return true
  })

  async function serve(work: Work): Promise<void> {
    const { match, request, headers } = work
    const { row } = match.target
    let answer: Answer | undefined
    try {
      const reply = { headers: (more: Record<string, string>) => append(headers, more) }
      // Each wait takes time even where there is nothing to wait for.
      const taken = takePoint(limits, row.limit, row.limit.key(request), reply)
      if (taken) await taken
      const read = callOf(match, request, parts)
      const call = read instanceof Promise ? await read : read
      answer = call && (await row.run(call))
    } catch (error) {
      answer = errorAnswer(request, await refusalOf(row, request, error as Error))
    }
    atTurnEnd(() => respond(work, answer))
  }

  function respond(work: Work, answer: Answer | undefined): void {
    const { request, response, started } = work
    try {
      if (answer) send(work, answer)
    } catch (error) {
      send({ ...work, headers: idHeader(request) }, errorAnswer(request, error as Error))
    }
    const { statusCode } = response
    parts.onAnswer(request, { statusCode, elapsedTime: performance.now() - started })
  }
}

/** A request that is being answered. */
interface Work {
  match: Match
  request: ServedRequest
  response: ServerResponse
  /** When it arrived, in milliseconds of the process. */
  started: number
  /** The headers of this response; its target has those of all. */
  headers: HeaderList
}

/** The endpoint's input; undefined if the caller left before its body was complete. */
function callOf(
  { target, params }: Match,
  request: ServedRequest,
  parts: ShortcutParts,
): Call | Promise<Call | undefined> {
  const { row } = target
  if (row.method === 'GET') return readCall(row, request, { params })
  return textOf(request.raw).then((text) =>
    text === undefined ? undefined : readCall(row, request, { params, body: parts.readJson(text) }),
  )
}

function idHeader({ id }: ServedRequest): HeaderList {
  return ['x-request-id', id]
}

/** A refusal or an error as an answer; a bug is logged. */
function errorAnswer(request: ServedRequest, error: Error): Answer {
  const problem = problemOf(error)
  logBug(request, error, problem)
  return problemAnswer(problem, request.id)
}

function send({ match, response, headers }: Work, answer: Answer): void {
  const { status = 200, headers: own = {} } = answer
  const json = jsonOf(answer)
  const bytes = json === undefined ? 0 : Buffer.byteLength(json)
  if (own['cache-control'] === undefined) headers.push('cache-control', 'no-store')
  append(headers, own)
  if (json !== undefined) headers.push('content-length', `${bytes}`)
  response.writeHead(status, match.target.headers.concat(headers))
  // Headers and text are one write, which needs no encoding where each character is one byte.
  response.end(json, bytes === json?.length ? 'latin1' : 'utf8')
}

function append(headers: HeaderList, more: Readonly<Record<string, string>>): void {
  for (const name in more) headers.push(name, more[name]!)
}

function targetOf(row: Endpoint, shared: Readonly<Record<string, string>>): Target {
  const path = withoutSlash(row.path)
  const [, before = path, param, after = ''] = /^(.*)\{(\w+)\}(.*)$/.exec(path) ?? []
  const route = { url: patternOf(row), config: { sampled: true } }
  const open = row.cors ? OPEN_TO_PAGES : {}
  const headers = Object.entries({ ...shared, ...open, 'content-type': JSON_TYPE }).flat()
  return { row, route, headers, before, after, param }
}

/** The endpoint of a request, if its address is spelled plainly. */
function matchOf(
  targets: readonly Target[],
  { method, url = '' }: IncomingMessage,
): Match | undefined {
  const path = withoutSlash(url)
  for (const target of targets) {
    const { row, before, after, param } = target
    if (row.method !== method || !path.startsWith(before) || !path.endsWith(after)) continue
    const value = path.slice(before.length, path.length - after.length)
    if (param === undefined ? value === '' : PLAIN.test(value)) {
      return { target, params: param === undefined ? {} : { [param]: value } }
    }
  }
  return undefined
}

/** Whether a request has plain headers, and no body or one of JSON that is not too long. */
function isPlain(request: IncomingMessage): boolean {
  const { method, headers } = request
  const length = headers['content-length']
  if (headers['transfer-encoding'] !== undefined || !hasPlainHeaders(request)) return false
  if (method === 'GET') return length === undefined
  const bytes = Number(length)
  if (headers['content-encoding'] !== undefined) return false
  return bytes > 0 && bytes <= BODY_LIMIT && PLAIN_JSON.test(headers['content-type'] ?? '')
}

/** The text of a body; undefined if its sender left. */
function textOf(raw: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    raw.on('data', (chunk: Buffer) => chunks.push(chunk))
    raw.on('end', () => resolve(Buffer.concat(chunks).toString()))
    raw.on('error', () => resolve(undefined))
  })
}
