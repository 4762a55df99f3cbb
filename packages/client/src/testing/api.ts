/** The license key endpoints, the public endpoints and the entitlement of the double. */

import { sha256 } from '../signed.ts'
import type { AppProfile } from '../types.ts'
import { credentialsOf, refuse } from './answers.ts'
import { entitlementOf, type Facts, mint, stateOf } from './facts.ts'
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

/** Answers a request to one of the endpoints under `/api/v1` or `/licensing`. */
export async function answer(
  request: Request,
  app: App,
  facts: Facts,
  issuer: TestIssuer,
): Promise<Response> {
  const path = new URL(request.url).pathname.replace(/\/$/, '')
  if (path === '/licensing/entitlement' || path === '/api/v1/entitlement') {
    return readEntitlement(request, facts, issuer)
  }
  const [, surface = '', id = '', action = ''] =
    /^\/api\/v1\/(public\/apps|licenses|orders)\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? []
  if (surface === 'public/apps') {
    if (id !== app.client_id) return refuse('not_found')
    return Response.json(action === 'prices' ? pricesOf(app, facts) : app.profile)
  }
  if (surface === '') return refuse('not_found')
  const credentials = credentialsOf(request)
  if (credentials?.id !== app.client_id || credentials.secret !== app.client_secret) {
    return refuse('invalid_client')
  }
  if (surface === 'orders') return readOrder(decodeURIComponent(id), facts)
  if (id === 'validate') return await validate(await bodyOf(request), app, facts, issuer)
  return regenerate(decodeURIComponent(id), request, facts)
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

async function validate(
  body: Record<string, unknown>,
  app: App,
  { licenses, now }: Facts,
  issuer: TestIssuer,
): Promise<Response> {
  const { key, lease } = body
  if (typeof key !== 'string') {
    return refuse('invalid_request', { fields: [{ path: 'key', message: 'must be a string' }] })
  }
  const license = licenses.find(({ license_key }) => license_key === key)
  if (!license) return refuse('unknown_key')
  const state = stateOf(license, now())
  if (lease === undefined || !state.entitled) return Response.json(state)
  const { seconds = LEASE_SECONDS, device } = Object(lease)
  if (!Number.isInteger(seconds) || seconds < 60 || seconds > MAX_LEASE_SECONDS) {
    const message = 'must be 60 to 259200'
    return refuse('invalid_request', { fields: [{ path: 'lease.seconds', message }] })
  }
  const { entitled: _entitled, product_id: _product_id, canceled_at: _canceled_at, ...said } = state
  const content = { ...said, key_hash: await sha256(key), ...(device !== undefined && { device }) }
  const end = license.period_end?.getTime() ?? Number.POSITIVE_INFINITY
  const lasting = Math.min(seconds, Math.floor((end - now()) / 1000))
  const claims = { iss: app.base_url, aud: app.client_id, ...content }
  return Response.json({ ...state, lease: await issuer.signLease(claims, lasting) })
}

function readOrder(ref: string, { orders, now }: Facts): Response {
  const order = orders.find((each) => each.ref === ref && now() < each.expires_at)
  if (!order) return refuse('unknown_order')
  if (now() < order.lands_at) {
    const headers = { 'retry-after': '1' }
    return Response.json({ status: 'processing' }, { status: 202, headers })
  }
  const { license } = order
  return Response.json({ ...stateOf(license, now()), license_key: license.license_key })
}

async function regenerate(id: string, request: Request, facts: Facts): Promise<Response> {
  const { licenses, now, rotations } = facts
  const { reason } = await bodyOf(request)
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > 500)) {
    const fields = [{ path: 'reason', message: 'must be a string of at most 500 characters' }]
    return refuse('invalid_request', { fields })
  }
  const license = licenses.find(({ license_id }) => license_id === id)
  if (!license) return refuse('unknown_license')
  const repetition = `${id} ${request.headers.get('idempotency-key')}`
  const before = rotations.get(repetition)
  if (before && now() < before.until) return Response.json(before.state)
  if (stateOf(license, now()).status === 'canceled') return refuse('license_canceled')
  license.license_key = mint('key', 33)
  const rotated_at = new Date(now()).toISOString().replace(/\.\d+/, '')
  const state = { ...stateOf(license, now()), license_key: license.license_key, rotated_at }
  if (request.headers.has('idempotency-key')) {
    rotations.set(repetition, { state, until: now() + ROTATION_MS })
  }
  return Response.json(state)
}

function readEntitlement(request: Request, facts: Facts, issuer: TestIssuer): Response {
  const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
  const grant = issuer.grantOf(token)
  if (!grant) return refuse('invalid_token')
  const scope = 'entitlements'
  if (!grant.scope.split(' ').includes(scope)) return refuse('insufficient_scope', { scope })
  if (!facts.add_on.enabled) return refuse('service_not_enabled')
  return Response.json(entitlementOf(grant.person, facts))
}

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  try {
    return Object(await request.json())
  } catch {
    return {}
  }
}
