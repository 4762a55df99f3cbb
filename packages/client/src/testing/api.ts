/** The license key endpoints, the public endpoints and the entitlement of the double. */

import { sha256 } from '../signed.ts'
import type { AppProfile } from '../types.ts'
import { credentialsOf, json, openToPages, preflight, refuse, refuseMethod } from './answers.ts'
import { entitlementOf, type Facts, mint, stateOf } from './facts.ts'
import { integer, malformed, object, optional, readBody, text, wellFormed } from './faults.ts'
import type { TestIssuer } from './issuer.ts'

export type App = {
  base_url: string
  client_id: string
  client_secret: string
  profile: AppProfile
}

const ROTATION_MS = 600_000
const LEASE_SECONDS = 86_400
const MAX_LEASE_SECONDS = 3 * LEASE_SECONDS

/** A request to an endpoint; `id` is what its path names. */
type Call = { request: Request; id: string; app: App; facts: Facts; issuer: TestIssuer }

type Route = {
  path: RegExp
  method: 'GET' | 'POST'
  guard: 'public' | 'secret' | 'token'
  run(call: Call): Response | Promise<Response>
}

const PUBLIC = '/api/v1/public/apps/([^/]+)'
const ROUTES: Route[] = [
  { ...on('GET', PUBLIC), guard: 'public', run: ({ app }) => Response.json(app.profile) },
  {
    ...on('GET', `${PUBLIC}/prices`),
    guard: 'public',
    run: ({ app, facts }) => Response.json(pricesOf(app, facts)),
  },
  { ...on('POST', '/api/v1/licenses/(validate)'), guard: 'secret', run: validate },
  { ...on('POST', '/api/v1/licenses/([^/]+)/regenerate-key'), guard: 'secret', run: regenerate },
  { ...on('GET', '/api/v1/orders/([^/]+)'), guard: 'secret', run: readOrder },
  { ...on('GET', '/(licensing|api/v1)/entitlement'), guard: 'token', run: readEntitlement },
]

function on(method: 'GET' | 'POST', path: string) {
  return { method, path: new RegExp(`^${path}/?$`) }
}

/** Answers a request to one of the endpoints under `/api/v1` or `/licensing`. */
export async function answer(
  request: Request,
  app: App,
  facts: Facts,
  issuer: TestIssuer,
): Promise<Response> {
  const { pathname } = new URL(request.url)
  const response = await answerAt(pathname, { request, app, facts, issuer })
  // Refusals of what is public too. A preflight has headers of its own.
  if (pathname.startsWith('/api/v1/public/') && response.status !== 204) openToPages(response)
  return response
}

async function answerAt(pathname: string, asked: Omit<Call, 'id'>): Promise<Response> {
  const route = ROUTES.find(({ path }) => path.test(pathname))
  if (!route) return refuse('not_found')
  try {
    const [, part = ''] = route.path.exec(pathname) ?? []
    const call = { ...asked, id: decode(part) }
    return route.guard === 'public' ? await answerPage(route, call) : await answerApp(route, call)
  } catch (thrown) {
    if (thrown instanceof Response) return thrown
    throw thrown
  }
}

async function answerApp(route: Route, call: Call): Promise<Response> {
  requireMethod(route, call.request, [])
  const { id, secret } = credentialsOf(call.request) ?? {}
  const { client_id, client_secret } = call.app
  if (route.guard === 'secret' && (id !== client_id || secret !== client_secret)) {
    const headers = { 'www-authenticate': 'Basic realm="licenses", charset="UTF-8"' }
    return refuse('invalid_client', { headers })
  }
  return await route.run(call)
}

async function answerPage(route: Route, call: Call): Promise<Response> {
  const { request, id, app } = call
  if (request.method === 'OPTIONS') return preflight()
  requireMethod(route, request, ['OPTIONS'])
  const response = id === app.client_id ? await route.run(call) : refuse('not_found')
  response.headers.set('cache-control', 'public, max-age=60')
  return response
}

function requireMethod({ method }: Route, request: Request, more: string[]): void {
  const allowed = [...(method === 'GET' ? ['GET', 'HEAD'] : [method]), ...more]
  if (!allowed.includes(request.method)) throw refuseMethod(allowed)
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw malformed('The request could not be read.')
  }
}

function pricesOf({ base_url, client_id, profile }: App, { plans }: Facts) {
  return {
    client_id,
    app_name: profile.name,
    has_free_tier: plans.some(({ prices }) => prices.length === 0),
    prices: plans.flatMap(({ product_public_id, name, prices }) =>
      prices.map(({ public_id, amount, frequency }) => ({
        public_id,
        product_id: product_public_id,
        product_name: name,
        amount,
        currency: 'usd',
        is_recurring: frequency !== null,
        frequency,
        buy_url: `${base_url}/buy/${public_id}/`,
      })),
    ),
  }
}

const VALIDATION = {
  key: text(),
  lease: optional(
    object({
      seconds: optional(integer(60, MAX_LEASE_SECONDS)),
      device: optional(text({ least: 1, most: 200 })),
    }),
  ),
}

async function validate({ request, app, facts, issuer }: Call): Promise<Response> {
  const { licenses, now } = facts
  const body = await readBody(request, VALIDATION)
  const { key, lease } = body as { key: string; lease?: { seconds?: number; device?: string } }
  const license = licenses.find(({ license_key }) => license_key === key)
  if (!license) return refuse('unknown_key')
  const state = stateOf(license, now())
  if (lease === undefined || !state.entitled) return json(state)
  const { seconds = LEASE_SECONDS, device } = lease
  const { entitled: _entitled, product_id: _product_id, canceled_at: _canceled_at, ...said } = state
  const content = { ...said, key_hash: await sha256(key), ...(device !== undefined && { device }) }
  const end = license.period_end?.getTime() ?? Number.POSITIVE_INFINITY
  const lasting = Math.min(seconds, Math.floor((end - now()) / 1000))
  const claims = { iss: app.base_url, aud: app.client_id, ...content }
  return json({ ...state, lease: await issuer.signLease(claims, lasting) })
}

function readOrder({ id: ref, facts: { orders, now } }: Call): Response {
  const order = orders.find((each) => each.ref === ref && now() < each.expires_at)
  if (!order) return refuse('unknown_order')
  if (now() < order.lands_at) {
    const headers = { 'retry-after': '1' }
    return json({ status: 'processing' }, { status: 202, headers })
  }
  const { license } = order
  return json({ ...stateOf(license, now()), license_key: license.license_key })
}

const ROTATION = { reason: optional(wellFormed(text({ most: 500 }))) }

async function regenerate({ request, id, facts }: Call): Promise<Response> {
  const { licenses, now, rotations } = facts
  const key = request.headers.get('idempotency-key') ?? undefined
  const fields = optional(text({ least: 1, most: 255 }))(key, 'idempotency-key')
  if (fields.length > 0) return refuse('invalid_request', { fields })
  await readBody(request, ROTATION, { optional: true })
  const license = licenses.find(({ license_id }) => license_id === id)
  if (!license) return refuse('unknown_license')
  const repetition = `${id} ${key}`
  const before = rotations.get(repetition)
  if (before && now() < before.until) return json(before.state)
  if (stateOf(license, now()).status === 'canceled') return refuse('license_canceled')
  license.license_key = mint('key', 33)
  const rotated_at = new Date(now()).toISOString().replace(/\.\d+/, '')
  const state = { ...stateOf(license, now()), license_key: license.license_key, rotated_at }
  // A repeat of an earlier request gets the current key.
  for (const [each, rotation] of rotations) if (each.startsWith(`${id} `)) rotation.state = state
  if (key !== undefined) rotations.set(repetition, { state, until: now() + ROTATION_MS })
  return json(state)
}

function readEntitlement({ request, facts, issuer }: Call): Response {
  const [, token] = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const grant = token === undefined ? undefined : issuer.grantOf(token)
  const challenge = (error = '') => ({
    headers: { 'www-authenticate': `Bearer realm="entitlement"${error}` },
  })
  if (!grant) return refuse('invalid_token', challenge(token && ', error="invalid_token"'))
  const scope = 'entitlements'
  if (!grant.scope.split(' ').includes(scope)) {
    const error = `, error="insufficient_scope", scope="${scope}"`
    return refuse('insufficient_scope', { scope, ...challenge(error) })
  }
  if (!facts.add_on.enabled) return refuse('service_not_enabled')
  return json(entitlementOf(grant.person, facts))
}
