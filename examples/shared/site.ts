/** The basis of both sites: security headers, forms only from their own pages, clear errors. */
import type { AddressInfo } from 'node:net'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { favicon, stylesheet } from './assets.ts'
import { faultOf, nothingHere } from './faults.tsx'
import { type Brand, html } from './pages/layout.tsx'

export type SiteOptions = {
  brand: Brand
  /** True when the site is served over https: its cookies then never leave https. */
  secure: boolean
  /** Other origins to which a form of the site may lead. */
  form_origins?: string[]
}

/** Sends a page with the site's brand. */
export type Send = (reply: FastifyReply, status: number, page: VNode) => FastifyReply

/** A server without routes, and the function that sends pages. */
export async function createSite(
  options: SiteOptions,
): Promise<{ app: FastifyInstance; send: Send }> {
  const app = Fastify({ logger: { level: 'warn' }, forceCloseConnections: true })
  const send: Send = (reply, status, page) =>
    reply.code(status).type('text/html; charset=utf-8').send(html(options.brand, page))
  await app.register(cookie)
  await app.register(formbody, { bodyLimit: 8 * 1024 })
  guard(app, options)
  serveAssets(app)
  serveFaults(app, send)
  return { app, send }
}

/** Starts to listen; returns the site's URL. */
export async function listen(
  app: FastifyInstance,
  at: { host: string; port: number; public_url?: string | undefined },
): Promise<string> {
  await app.listen({ host: at.host, port: at.port })
  return at.public_url?.replace(/\/+$/, '') ?? addressOf(app)
}

function addressOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function guard(app: FastifyInstance, { secure, form_origins = [] }: SiteOptions): void {
  const forms = ["'self'", ...form_origins].join(' ')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy':
        `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${forms}; ` +
        "base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      // A stricter policy would remove the Origin from this site's own forms.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
      'cache-control': 'no-store',
      ...(secure && { 'strict-transport-security': 'max-age=31536000' }),
    })
    if (request.method === 'POST' && !isOwnForm(request)) {
      return reply.code(403).type('text/plain').send('This form was not sent from this site.\n')
    }
  })
}

/** Whether a request comes from this site's own page: browsers send the origin with every POST. */
function isOwnForm(request: FastifyRequest): boolean {
  const { origin, host } = request.headers
  if (origin === undefined) return request.headers['sec-fetch-site'] === 'same-origin'
  return URL.canParse(origin) && new URL(origin).host === host
}

function serveAssets(app: FastifyInstance): void {
  for (const { path, body, type } of [stylesheet, favicon]) {
    app.get(path, (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(body),
    )
  }
}

function serveFaults(app: FastifyInstance, send: Send): void {
  app.setErrorHandler((error, request, reply) => {
    const { status, retry_after, page } = faultOf(error, request.url)
    if (status >= 500) request.log.error(error)
    if (retry_after) reply.header('retry-after', retry_after)
    return send(reply, status, page)
  })
  app.setNotFoundHandler((_request, reply) => send(reply, 404, nothingHere().page))
}
