import type { IncomingMessage } from 'node:http'
import proxyaddr from '@fastify/proxy-addr'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify'
import { malformed, notJson, readBodies, unreadable } from '#platform/bodies'
import { isDatabaseAway } from '#platform/db'
import { type Drain, whileDraining } from '#platform/drain'
import { idSource } from '#platform/ids'
import type { Log } from '#platform/log'
import { trustOnly } from '#platform/networks'
import { Problem } from '#platform/problem'
import type { Random } from '#platform/random'
import { openRequestLog } from '#platform/request-log'
import { fixRequestShapes } from '#platform/request-shapes'
import { answerHeaders } from '#platform/security-headers'
import type { ServedRequest } from '#platform/served-request'
import { openShortcuts, type ShortcutParts } from '#platform/shortcuts'
import type { Observer } from '#platform/telemetry/observer'
import { answerUnparsed } from '#platform/unparsed'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route compares the parameters of its path with what it issued, and stores none. */
    reads_any_path?: boolean
  }
}

export interface ServerOptions {
  log: Log
  random: Random
  /** True if the service's URL is https. */
  secure: boolean
  trusted_proxies: string[]
  /** Answers where a URL cannot be parsed, so that no route is reached. */
  answer?: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
  /** Makes the HTTP server, where it serves more than these routes. */
  server_factory?: FastifyServerFactory | undefined
  /** Says when the server is about to close. */
  drain?: Drain | undefined
  /** What requests are reported to. */
  observer?: Observer | undefined
}

/** The longest request body, in bytes. */
export const BODY_LIMIT = 64 * 1024
/** The time in which a request must arrive, in seconds. */
export const REQUEST_SECONDS = 30
// The maximum length of a URL: longer ones get our own error.
const PARAM_LIMIT = 16 * 1024
const RETRY_AFTER_SECONDS = 5

/** An HTTP server with request ids, one log line per response, and limits; it has no routes yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  fixRequestShapes()
  const headers = answerHeaders(options.secure)
  const isTrusted = trustOnly(options.trusted_proxies)
  const mintRequestId = idSource(options.random, 'req')
  const identify = (request: IncomingMessage): string =>
    (isTrusted && idOfProxy(request, isTrusted)) || mintRequestId()
  const shortcuts = openShortcuts(options)
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Log lines carry the request id explicitly; a child logger for each request is too expensive.
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => identify(request),
    trustProxy: isTrusted,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_SECONDS * 1000,
    serverFactory: shortcuts.server_factory,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PARAM_LIMIT },
    // What arrives on an open connection while the service stops is answered: a proxy sent it here.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerUnparsed({ log: options.log, random: options.random, headers }),
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id).headers(headers)
      options.answer?.(error, request, reply)
    },
  })
  app.decorateRequest('account_id', undefined)
  // Hooks with a callback: an async one costs every request a turn of the event loop.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(headers)
    // Some programs send a type without a body; the type of an empty body does not matter.
    if (isEmpty(request.raw)) delete request.raw.headers['content-type']
    const refusal = options.drain?.is_on
      ? whileDraining(options.drain, request, reply, isTrusted)
      : undefined
    if (refusal) done(refusal)
    else done(refusalOfNul(request) ?? refusalOfHeaders(request.raw))
  })
  const readJson = readBodies(app)
  const reports = reportRequests(app, options)
  shortcuts.addTo(app, {
    ...reports,
    headers,
    readJson,
    served: (raw, routeOptions) => ({
      id: identify(raw),
      method: raw.method ?? '',
      headers: raw.headers,
      ip: (isTrusted ? proxyaddr(raw, isTrusted) : raw.socket.remoteAddress) ?? '',
      account_id: undefined,
      log: options.log,
      raw,
      routeOptions,
    }),
  })
  return app
}

/** Whether a request has no body (RFC 9112, chapter 6.3). */
function isEmpty({ headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  return length === '0' && encoding === undefined
}

/** In a query, a NUL is malformed; in a path, routes that do not say otherwise have nothing. */
function refusalOfNul({ url, routeOptions }: FastifyRequest): Problem | undefined {
  if (!url.includes('%00')) return undefined
  const [path = ''] = url.split('?', 1)
  if (url.slice(path.length).includes('%00')) return unreadable()
  if (routeOptions.config.reads_any_path) return undefined
  return new Problem(404, 'not_found', 'There is nothing at this address.')
}

/** Whether a request names one host and expects nothing; a route may refuse any other. */
export function hasPlainHeaders({ headers, rawHeaders }: IncomingMessage): boolean {
  return headers.host !== undefined && headers.expect === undefined && !namesManyHosts(rawHeaders)
}

/** The expectation that Node recognizes, and meets before it passes a request on. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** The refusal of a request for its Host or Expect header (RFC 9112, chapter 3.2), if any. */
function refusalOfHeaders(request: IncomingMessage): Problem | undefined {
  if (hasPlainHeaders(request)) return undefined
  const { headers, rawHeaders, httpVersion } = request
  if (namesManyHosts(rawHeaders)) {
    return malformed('Send one Host header; this request has several.')
  }
  if (httpVersion !== '1.1') return undefined
  if (headers.host === undefined) return malformed('Send a Host header; this request has none.')
  if (headers.expect === undefined || CONTINUE.test(headers.expect)) return undefined
  return malformed('The only supported value of the Expect header is 100-continue.', 417)
}

/** Two Host headers may mean one host to a proxy and another to us (RFC 9112, chapter 3.2). */
function namesManyHosts(headers: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/** What a proxy may name a request: it is logged, audited and sent back. */
const PROXY_ID = /^[A-Za-z0-9][\w.:-]{7,99}$/

/**
 * The request id that a trusted proxy sent, so that its log and ours name the same request;
 * undefined for one from anywhere else, or with other characters.
 */
function idOfProxy(
  { headers, socket }: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string | undefined {
  const id = headers['x-request-id']
  if (typeof id !== 'string' || !PROXY_ID.test(id)) return undefined
  return isTrusted(socket.remoteAddress ?? '') ? id : undefined
}

/** Logs the responses of routes, and reports requests; returns how shortcuts do the same. */
function reportRequests(
  app: FastifyInstance,
  { log, observer }: ServerOptions,
): Pick<ShortcutParts, 'onArrival' | 'onAnswer'> {
  const logAnswer = openRequestLog(log)
  const reports: Pick<ShortcutParts, 'onArrival' | 'onAnswer'> = {
    onArrival: (request, next) => (observer ? observer.onRequest(request, next) : next()),
    onAnswer(request, reply) {
      observer?.onResponse(request, reply)
      logAnswer(request, reply)
    },
  }
  if (observer)
    app.addHook('onRequest', (request, _reply, done) => reports.onArrival(request, done))
  app.addHook('onResponse', (request, reply, done) => {
    done()
    reports.onAnswer(request, reply)
  })
  return reports
}

/**
 * The response for an error. Only our own errors and the framework's have a status: an error of a
 * library that we call is never shown to the visitor.
 */
export function problemOf(error: FastifyError | Error, body_limit = BODY_LIMIT): Problem {
  if (error instanceof Problem) return error
  if (isDatabaseAway(error)) {
    const message = 'The service is temporarily unavailable. Try again in a few seconds.'
    return new Problem(503, 'service_unavailable', message, { retry_after: RETRY_AFTER_SECONDS })
  }
  const status = isFromFramework(error) ? error.statusCode : undefined
  if (status === 413) {
    const message = `The request body is too large (limit ${body_limit / 1024} KB).`
    return new Problem(413, 'payload_too_large', message)
  }
  if (status === 415) return notJson()
  if (status !== undefined && status >= 400 && status < 500) {
    return unreadable()
  }
  return new Problem(500, 'internal_error', 'Something went wrong on our side. Try again later.')
}

/** Whether the framework refused what the caller sent: a body, a header, a URL. */
function isFromFramework(error: FastifyError | Error): error is FastifyError {
  return 'code' in error && String(error.code).startsWith('FST_')
}

/**
 * Logs a bug with its request id; refusals are not bugs. A request that was refused because the
 * database is away, or because too many were running, is a warning.
 */
export function logBug(
  request: Pick<ServedRequest, 'id' | 'log' | 'routeOptions'>,
  error: Error,
  problem: Problem,
): void {
  if (problem.status < 500) return
  const { id: request_id, log } = request
  const { url: route } = request.routeOptions
  if (problem.status === 503) {
    const { message: reason } = error
    log.warn({ request_id, route, reason }, 'service unavailable; request refused')
  } else log.error({ request_id, route, error }, 'unhandled error')
}
