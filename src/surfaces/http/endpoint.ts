import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { faultsOf } from '#http/field-faults'
import { type RefusalCode, refuse } from '#http/refusals'
import { logBug, problemOf } from '#platform/http'
import type { Limit, LimitKey } from '#platform/limits'
import type { FieldFault, Problem } from '#platform/problem'
import type { ServedRequest } from '#platform/served-request'

/**
 * A response of an endpoint: its description in OpenAPI, and the schema that it is checked against.
 */
export interface AnswerShape {
  description: string
  schema?: z.ZodType
}

/** What `run` returns: a JSON value, or prepared JSON. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  json?: unknown
  /** Prepared JSON, sent as it is. */
  prepared?: string
}

/** The limit of an endpoint; `by` says in the API description what it counts by. */
export interface EndpointLimit extends Limit {
  by: string
  key: (request: ServedRequest) => LimitKey
}

/** An endpoint of an API: everything that HTTP and OpenAPI need. */
export interface Endpoint {
  method: 'GET' | 'POST'
  /** As OpenAPI writes it, `/api/v1/orders/{ref}`. */
  path: string
  name: string
  tag: string
  summary: string
  description: string
  auth: 'none' | 'basic' | 'bearer'
  /** Whether scripts of any web page may call it. */
  cors?: boolean
  limit: EndpointLimit
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  /** True if an absent body means an empty object. */
  is_body_optional?: boolean
  answers: Record<number, AnswerShape>
  refusals: RefusalCode[]
  /**
   * Refuses a caller without valid credentials. Called where the input is refused, so that only
   * known callers learn what is wrong with it; otherwise `run` checks the caller.
   */
  authenticate?: (request: ServedRequest) => Promise<unknown>
  run(call: Call): Promise<Answer>
}

/** A call whose input was validated against the endpoint's schemas. */
export interface Call<Params = unknown, Body = unknown, Headers = unknown, Query = unknown> {
  params: Params
  query: Query
  body: Body
  headers: Headers
  request: ServedRequest
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** Defines an endpoint; the types of its input follow from its schemas. */
export function endpoint<
  Params extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Headers extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
>(
  row: Omit<Endpoint, 'run' | 'params' | 'query' | 'body' | 'headers'> & {
    params?: Params
    query?: Query
    body?: Body
    headers?: Headers
    run(call: Call<Output<Params>, Output<Body>, Output<Headers>, Output<Query>>): Promise<Answer>
  },
): Endpoint {
  return row as unknown as Endpoint
}

/** Lets any web page call the endpoint, and read the headers for retries and caching. */
export const OPEN_TO_PAGES = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
}

/** The path of an endpoint in routes and log lines: `/api/v1/orders/:ref`. */
export function patternOf({ path }: Pick<Endpoint, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Registers endpoints on the server. */
export function mount(app: FastifyInstance, rows: Endpoint[]): void {
  app.register(async (scope) => {
    scope.setErrorHandler(answerProblem)
    for (const row of rows) {
      scope.route({
        method: row.method,
        url: patternOf(row),
        config: { sampled: true, reads_any_path: true, limits: [row.limit] },
        errorHandler: async (error, request, reply) =>
          answerProblem(await refusalOf(row, request, error), request, reply),
        onRequest: async (_request, reply) => {
          if (row.cors) reply.headers(OPEN_TO_PAGES)
        },
        handler: async (request, reply) => {
          const answer = await row.run(readCall(row, request, request))
          reply.code(answer.status ?? 200)
          if (answer.headers) reply.headers(answer.headers)
          return send(reply, jsonOf(answer))
        },
      })
      if (row.cors) preflight(scope, row)
    }
  })
}

/** The text of a response; undefined if it has no body. */
export function jsonOf({ prepared, json }: Answer): string | undefined {
  return prepared ?? (json === undefined ? undefined : JSON.stringify(json))
}

export const JSON_TYPE = 'application/json; charset=utf-8'

function send(reply: FastifyReply, json: string | undefined): FastifyReply {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  return reply.type(JSON_TYPE).send(json)
}

function preflight(scope: FastifyInstance, row: Endpoint): void {
  scope.options(patternOf(row), async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': '*',
        'access-control-max-age': '86400',
      })
      .send(),
  )
}

/** The input of a call, validated; throws `invalid_request` with every fault. */
export function readCall(
  row: Endpoint,
  request: ServedRequest,
  { params, query = {}, body }: { params: unknown; query?: unknown; body?: unknown },
): Call {
  const faults: FieldFault[] = []
  const read = (schema: z.ZodType | undefined, value: unknown) => {
    if (!schema) return undefined
    const parsed = schema.safeParse(value, { reportInput: true })
    if (parsed.success) return parsed.data
    faults.push(...faultsOf(parsed.error))
    return undefined
  }
  if (row.method === 'POST' && !row.body && body !== undefined) {
    faults.push({ path: '', message: 'This endpoint takes no request body.' })
  }
  const given = query as Record<string, unknown>
  const repeated = Object.keys(given).filter((name) => Array.isArray(given[name]))
  faults.push(...repeated.map(repeatedFault))
  const once = Object.fromEntries(repeated.map((name) => [name, [given[name]].flat()[0]]))
  const call = {
    params: read(row.params, params),
    query: read(row.query, { ...given, ...once }),
    headers: read(row.headers, request.headers),
    body: read(row.body, row.is_body_optional && body === undefined ? {} : body),
    request,
  }
  if (faults.length > 0) throw refuse('invalid_request', { fields: faults })
  return call
}

function repeatedFault(path: string): FieldFault {
  return { path, message: `\`${path}\` was sent more than once. Send one value.` }
}

const INPUT_REFUSALS: readonly number[] = [400, 413, 415]

/** The error to answer with: an unknown caller gets that refusal before one of its input. */
export async function refusalOf(
  row: Endpoint,
  request: ServedRequest,
  error: FastifyError | Error,
): Promise<Error> {
  if (!row.authenticate || !INPUT_REFUSALS.includes(problemOf(error).status)) return error
  try {
    await row.authenticate(request)
    return error
  } catch (refusal) {
    return refusal as Error
  }
}

/** Sends an error as JSON: code, message and request ID. */
export function answerProblem(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = problemOf(error, request.routeOptions.bodyLimit)
  logBug(request, error, problem)
  return sendProblem(request, reply, problem)
}

/** Sets the headers of an error response, for JSON and for pages. */
export function setProblemHeaders(reply: FastifyReply, problem: Problem): void {
  reply.headers(problemHeaders(problem))
}

/** Where any web page may read every answer, also to a request that no endpoint takes. */
const PUBLIC_API = '/api/v1/public/'

/** Sends an error response as JSON. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem) {
  if (request.url.startsWith(PUBLIC_API)) reply.headers(OPEN_TO_PAGES)
  const { status, headers, json } = problemAnswer(problem, request.id)
  return send(reply.code(status).headers(headers), JSON.stringify(json))
}

function problemHeaders({ details }: Problem): Record<string, string> {
  const { headers, retry_after } = details
  return retry_after === undefined
    ? { ...headers }
    : { ...headers, 'retry-after': `${retry_after}` }
}

/** A refusal or an error as the response of an endpoint. */
export function problemAnswer(problem: Problem, request_id: string) {
  const { code: error, message, status, details } = problem
  const { scope, retry_after, fields } = details
  const json = { error, message, request_id, scope, retry_after, fields }
  return { status, headers: problemHeaders(problem), json }
}
