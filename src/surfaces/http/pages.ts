import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { renderPage } from '#design/layout'
import type { World } from '#flows/world'
import { setProblemHeaders } from '#http/endpoint'
import { ErrorPage } from '#http/error-page'
import { logBug, problemOf, readForms } from '#platform/http'
import type { Limit, LimitKey } from '#platform/limits'
import { networksWith } from '#platform/networks'
import { type RouteLimit, takePoint } from '#platform/route-limits'
import { assertOwnForm } from './form-token.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Origins of the processor's pages, which the forms of a scope for people may lead to. */
    processor_origins?: readonly string[]
    /** The legal name of the merchant of record. */
    merchant?: string
  }
}

/** What is special about the answer around a page. */
export interface PageOptions {
  status?: number
  /** In how many seconds to try again, where it was too often. */
  retry_after?: number | undefined
  /** Origins beside our own that a form of this page may lead to. */
  form_origins?: string[]
  /** A page that is the same for everybody may be kept by caches. */
  public?: boolean
  /** The page's own address is a secret, so no other site gets it as a referrer. */
  secret_address?: boolean
}

/** The headers that keep a page safe: no inline script, no framing, no caching. */
export function pageHeaders(options: PageOptions = {}): Record<string, string> {
  const form_action = ["'self'", ...(options.form_origins ?? [])].join(' ')
  return {
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `form-action ${form_action}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
    ].join('; '),
    'cache-control': options.public ? 'public, max-age=60' : 'no-store',
    'referrer-policy': options.secret_address ? 'strict-origin' : 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  }
}

/** Sends a page with the headers that keep it safe. */
export function sendPage(
  reply: FastifyReply,
  page: VNode,
  options: PageOptions = {},
): FastifyReply {
  const { retry_after } = options
  if (retry_after !== undefined) reply.header('retry-after', String(retry_after))
  const form_origins = [...(options.form_origins ?? []), ...(reply.server.processor_origins ?? [])]
  return reply
    .code(options.status ?? 200)
    .headers(pageHeaders({ ...options, form_origins }))
    .type('text/html; charset=utf-8')
    .send(renderPage(page, reply.server.merchant))
}

/**
 * Sends a PDF that a browser may show. Its viewer is an object of the same address with inline
 * styles; the document itself can load nothing.
 */
export function sendPdf(reply: FastifyReply, filename: string, pdf: Buffer): FastifyReply {
  return reply
    .headers({
      'content-security-policy':
        "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'content-disposition': `inline; filename="${filename}"`,
    })
    .type('application/pdf')
    .send(pdf)
}

/** Sends the browser on to another address, to be opened with GET. */
export function goTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, 303)
}

/** Thrown by a guard that answers in place of the handler: with a redirect or a page of its own. */
export class AnsweredByGuard extends Error {
  readonly answer: (reply: FastifyReply) => FastifyReply

  constructor(answer: (reply: FastifyReply) => FastifyReply) {
    super('a guard has answered')
    this.answer = answer
  }
}

/** The limit of each form that names none of its own: more than a person can send. */
export const FORMS: RouteLimit = {
  name: 'forms',
  points: 120,
  seconds: 60,
  key: (request) => networksWith(request.ip, request.routeOptions.url ?? ''),
}

/** A scope for people: forms are read and proven, and whatever goes wrong is answered as a page. */
export function people(
  app: FastifyInstance,
  world: World,
  declare: (scope: FastifyInstance) => void,
): void {
  app.register(async (scope) => {
    scope.decorate('form_limits', [FORMS])
    readForms(scope)
    scope.decorate('processor_origins', world.processor.page_origins)
    scope.setErrorHandler(pageForError)
    scope.addHook('preHandler', async (request) => {
      if (request.method === 'POST') assertOwnForm(world, request)
    })
    declare(scope)
  })
}

/** Takes a point of a limit (or only looks, with none), and refuses with a page at its end. */
export async function limitPage(
  { limits }: World,
  limit: Limit,
  key: LimitKey,
  reply: FastifyReply,
  points = 1,
): Promise<void> {
  await takePoint(limits, limit, key, reply, points)
}

/** Answers as a guard wants it, and any error as a page in plain words. */
export function pageForError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof AnsweredByGuard) return error.answer(reply)
  const problem = problemOf(error, request.routeOptions.bodyLimit)
  logBug(request, error, problem)
  setProblemHeaders(reply, problem)
  const { status, code, message } = problem
  return sendPage(reply, ErrorPage({ status, code, message, request_id: request.id }), { status })
}
