import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { LanguageForm } from '#design/language-form'
import { type AccountMenu, renderPage } from '#design/layout'
import type { World } from '#flows/world'
import { addAccountMenu } from '#http/account-menu'
import { compressAnswers } from '#http/compression'
import { setProblemHeaders } from '#http/endpoint'
import { ErrorPage } from '#http/error-page'
import { addViewing, refusalWhileViewing } from '#http/guards/viewing'
import { readForms } from '#platform/bodies'
import { CSV } from '#platform/csv'
import { logBug, problemOf } from '#platform/http'
import { languageHeaders, localeOf } from '#platform/language/request'
import type { Limit, LimitKey } from '#platform/limits'
import { networksWith } from '#platform/networks'
import { type RouteLimit, takePoint } from '#platform/route-limits'
import { contentPolicy, PAGE_HEADERS } from '#platform/security-headers'
import { assertOwnForm } from './form-token.ts'
import { addLanguageForm } from './language.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Origins of the processor's pages, to which forms may lead. */
    processor_origins?: readonly string[]
    /** The legal name of the merchant of record. */
    merchant?: string
    /** Whether every page says that it is of test mode. */
    marked_as_test?: boolean
    /** The order that a refused form of a checkout was about, for a link to it. */
    order_of_form?: (request: FastifyRequest) => string | undefined
  }
  interface FastifyRequest {
    /** The menu of the signed-in person, if there is one. */
    account_menu?: (() => AccountMenu) | undefined
    /** The form that changes the language, for a page that has one. */
    language_form?: (secret_address: boolean) => LanguageForm | undefined
  }
}

/** Options of a page's response. */
export interface PageOptions {
  status?: number
  /** Seconds for the Retry-After header. */
  retry_after?: number | undefined
  /** Other origins to which forms of this page may lead. */
  form_origins?: string[]
  /** True for a page that is the same for everyone and may be cached. */
  public?: boolean
  /** True for a page that shows another page of the service in a frame. */
  frames?: boolean
  /** True if the page's address is secret, so that no referrer is sent. */
  secret_address?: boolean
}

const OWN = ["'self'"]

/** Security headers of a page: no inline script, no framing, no caching. */
export function pageHeaders(options: PageOptions = {}): Record<string, string> {
  return {
    ...PAGE_HEADERS,
    'content-security-policy': contentPolicy({
      'style-src': OWN,
      'script-src': OWN,
      'connect-src': OWN,
      'img-src': [...OWN, 'data:'],
      'font-src': OWN,
      ...(options.frames ? { 'frame-src': OWN } : {}),
      'form-action': [...OWN, ...(options.form_origins ?? [])],
    }),
    'cache-control': options.public ? 'public, max-age=60' : 'no-store',
    'referrer-policy': options.secret_address ? 'strict-origin' : 'same-origin',
  }
}

/** Sends a page with its security headers. */
export function sendPage(
  reply: FastifyReply,
  page: VNode,
  options: PageOptions = {},
): FastifyReply {
  const { retry_after } = options
  if (retry_after !== undefined) reply.header('retry-after', String(retry_after))
  const account = reply.request.account_menu?.()
  const viewing = reply.request.viewing?.()
  if (options.public) reply.header('vary', 'cookie')
  const { status = 200, secret_address = false } = options
  const form_origins = [...(options.form_origins ?? []), ...(reply.server.processor_origins ?? [])]
  reply.code(status)
  const language = reply.request.language_form?.(secret_address)
  return reply
    .headers(pageHeaders({ ...options, public: options.public && !account, form_origins }))
    .headers(languageHeaders(reply.request))
    .type('text/html; charset=utf-8')
    .send(renderPage(page, { ...markOf(reply.server), account, viewing, language }))
}

/** What every page of a server shows: the merchant of record, and whether this is test mode. */
export function markOf({ merchant, marked_as_test }: FastifyInstance) {
  return { merchant, marked_as_test }
}

const PDF_POLICY = contentPolicy({ 'object-src': OWN, 'style-src': ["'unsafe-inline'"] })

/**
 * Sends a PDF for display in the browser. The browser's viewer is an object from the same address
 * with inline styles; the document itself can load nothing.
 */
export function sendPdf(reply: FastifyReply, filename: string, pdf: Buffer): FastifyReply {
  return reply
    .headers({
      'content-security-policy': PDF_POLICY,
      'cache-control': 'no-store',
      'content-disposition': `inline; filename="${filename}"`,
    })
    .type('application/pdf')
    .send(pdf)
}

/** Sends a file to download. Its name says that it is of test mode, as tables do not. */
export function sendFile(
  reply: FastifyReply,
  { name, type }: { name: string; type: string },
  content: Readable | Buffer,
): FastifyReply {
  const prefix = reply.server.marked_as_test ? 'test-mode-' : ''
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="${prefix}${name}"`,
    })
    .type(type)
    .send(content)
}

/** Sends a table to download, part by part. */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  parts: AsyncIterable<string>,
): FastifyReply {
  return sendFile(reply, { name, type: CSV }, Readable.from(parts, { objectMode: false }))
}

/** Redirects the browser with 303, so that it uses GET. */
export function redirectTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, 303)
}

/** Thrown by a guard that responds in place of the handler: with a redirect or a page. */
export class AnsweredByGuard extends Error {
  readonly answer: (reply: FastifyReply) => FastifyReply

  constructor(answer: (reply: FastifyReply) => FastifyReply) {
    super('a guard has answered')
    this.answer = answer
  }
}

/** The limit of forms without one of their own: more than a person can send. */
export const FORMS: RouteLimit = {
  name: 'forms',
  points: 120,
  seconds: 60,
  key: (request) => networksWith(request.ip, request.routeOptions.url ?? ''),
}

/**
 * A scope for pages: forms are parsed and checked for CSRF, and errors are pages. Pages without any
 * secret may be compressed.
 */
export function people(
  app: FastifyInstance,
  world: World,
  declare: (scope: FastifyInstance) => void,
  options: { compressed?: boolean } = {},
): void {
  app.register(async (scope) => {
    if (options.compressed) await compressAnswers(scope)
    scope.decorate('form_limits', [FORMS])
    readForms(scope)
    scope.decorate('processor_origins', world.processor.page_origins)
    scope.setErrorHandler(pageForError)
    scope.addHook('preHandler', async (request, reply) => {
      await addAccountMenu(world, request, reply)
      addLanguageForm(world, request, reply)
      await addViewing(world, request, reply)
      const refusal = await refusalWhileViewing(world, request)
      if (refusal) throw new AnsweredByGuard((to) => sendPage(to, refusal, { status: 403 }))
      if (request.method === 'POST') assertOwnForm(world, request)
    })
    declare(scope)
  })
}

/** Takes points of a limit (0 only checks it). Throws `rate_limited` if none are left. */
export async function limitPage(
  { limits }: World,
  limit: Limit,
  key: LimitKey,
  reply: FastifyReply,
  points = 1,
): Promise<void> {
  await takePoint(limits, limit, key, reply, points)
}

/** Responds as a guard asks, or with the page of an error. */
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
  const { retry_after } = problem.details
  const order = request.method === 'POST' ? request.server.order_of_form?.(request) : undefined
  const facts = { status, code, message, retry_after, order, request_id: request.id }
  return sendPage(reply, ErrorPage({ ...facts, locale: localeOf(request) }), { status })
}
