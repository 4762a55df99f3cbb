import type { FastifyRequest } from 'fastify'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { coarseNetworkOf } from '#platform/networks'
import { type Answer, type Endpoint, endpoint } from '#surfaces/endpoint'
import { bearerToken, byToken } from '#surfaces/guards'
import { refuse } from '#surfaces/refusals'
import { Entitlement } from './wire.ts'

const SCOPE = 'entitlements'

/** What a signed-in person may use, at both of its addresses (spec: Entitlement endpoint). */
export function entitlement(world: World): Endpoint[] {
  const row = (path: string, name: string, description: string) =>
    endpoint({
      method: 'GET',
      path,
      name,
      tag: 'Hosted sign-in',
      summary: 'Read what a signed-in person may use',
      description,
      auth: 'bearer',
      limit: { name: 'entitlement', points: 60, seconds: 60, by: 'access token', key: byToken },
      answers: { 200: { description: 'The entitlement as it is now.', schema: Entitlement } },
      refusals: [
        'invalid_token',
        'insufficient_scope',
        'service_not_enabled',
        'Client is not linked to an app',
        'rate_limited',
      ],
      run: ({ request }) => read(world, request),
    })
  return [
    row(
      '/licensing/entitlement/',
      'readEntitlement',
      'Answers for the person whose access token it is; who that is, the sign-in told. After a ' +
        'confirmed sign-out the token is revoked and the answer is 401.',
    ),
    row(
      '/api/v1/entitlement/',
      'readEntitlementV1',
      'The same as `/licensing/entitlement`, under the versioned path.',
    ),
  ]
}

async function read({ db, clock, uses }: World, request: FastifyRequest): Promise<Answer> {
  const token = bearerToken(request)
  const found = token && (await licensing.findByToken(db, clock.now(), token))
  if (!found) throw refuse('invalid_token', { headers: challenge(token && 'invalid_token') })
  if (!found.scopes.includes(SCOPE)) {
    const headers = challenge('insufficient_scope', SCOPE)
    throw refuse('insufficient_scope', { scope: SCOPE, headers })
  }
  if (!found.app_id) throw refuse('Client is not linked to an app')
  if (!found.addon_enabled) throw refuse('service_not_enabled')
  const { license_id } = found
  const network = coarseNetworkOf(request.ip)
  if (license_id) uses.add({ license_id, kind: 'plan_checked', network }, clock.now())
  return { json: licensing.entitlementOf(found) }
}

/** What a bearer must show (RFC 6750); who showed nothing is told of no error. */
function challenge(error: string | undefined, scope?: string): Record<string, string> {
  const parts = [
    'realm="entitlement"',
    ...(error ? [`error="${error}"`] : []),
    ...(scope ? [`scope="${scope}"`] : []),
  ]
  return { 'www-authenticate': `Bearer ${parts.join(', ')}` }
}
