/** The site as one Fastify server: security headers, forms only from its own pages, honest faults. */
import type { AddressInfo } from 'node:net'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import { cachedValidator, createClient } from '@purser/client'
import Fastify, { type FastifyInstance } from 'fastify'
import { favicon, stylesheet } from './assets.ts'
import { faultOf, nothingHere } from './faults.tsx'
import { html } from './pages/layout.tsx'
import { livePrices } from './prices.ts'
import { addRoutes } from './routes.tsx'
import { createVisitors, isOwnForm } from './visitors.ts'

export type TidepoolOptions = {
  /** Purser's address, and this app's credentials there. */
  base_url: string
  client_id: string
  client_secret: string
  /** 0 takes a free port. */
  port: number
  host: string
  /** Where browsers find this site, when that is not the address it listens on. */
  public_url?: string | undefined
  /** How long prices and a verified license may be kept before they are asked for again. Default 60. */
  max_age_seconds?: number | undefined
}

export type Tidepool = { url: string; close(): Promise<void> }

/** Starts the site; resolves when it listens. */
export async function startTidepool(options: TidepoolOptions): Promise<Tidepool> {
  const {
    base_url,
    client_id,
    client_secret,
    max_age_seconds = 60,
    public_url,
    host,
    port,
  } = options
  const client = createClient({ base_url, client_id, client_secret, timeout_ms: 5_000 })
  const secure = public_url?.startsWith('https:') ?? false

  const app = Fastify({ logger: { level: 'warn' }, forceCloseConnections: true })
  await app.register(cookie)
  await app.register(formbody, { bodyLimit: 8 * 1024 })
  guard(app, { secure })
  serveAssets(app)
  serveFaults(app)
  addRoutes(app, {
    client,
    licenses: cachedValidator(client, { max_age_seconds }),
    prices: livePrices(client, max_age_seconds),
    visitors: createVisitors({ secure }),
    address: () => site.url,
  })

  const site: Tidepool = { url: '', close: () => app.close() }
  await app.listen({ host, port })
  site.url = public_url?.replace(/\/+$/, '') ?? addressOf(app)
  return site
}

function addressOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function guard(app: FastifyInstance, { secure }: { secure: boolean }): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      // A stricter policy would take the Origin from this site's own forms.
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

function serveAssets(app: FastifyInstance): void {
  for (const { path, body, type } of [stylesheet, favicon]) {
    app.get(path, (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(body),
    )
  }
}

function serveFaults(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const { status, retry_after, page } = faultOf(error, request.url)
    if (status >= 500) request.log.error(error)
    if (retry_after) reply.header('retry-after', retry_after)
    return reply.code(status).type('text/html').send(html(page))
  })
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('text/html').send(html(nothingHere().page)),
  )
}
