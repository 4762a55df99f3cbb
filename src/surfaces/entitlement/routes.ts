import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { type Answer, type Endpoint, endpoint } from '#http/endpoint'
import { type EntitlementLookup, requireEntitlementToken } from '#http/guards/entitlement-token'
import { byToken } from '#http/limit-keys'
import { batchLookups } from '#platform/batch-lookups'
import { coarseNetworkOf } from '#platform/networks'
import type { ServedRequest } from '#platform/served-request'
import { Entitlement } from './wire.ts'

/** The entitlement of a signed-in person, at both of its addresses (spec: Entitlement endpoint). */
export function entitlement(world: World): Endpoint[] {
  const { db, clock } = world
  const find = batchLookups((tokens: readonly string[]) =>
    licensing.findByTokens(db, clock.now(), tokens),
  )
  const row = (path: string, name: string, description: string) =>
    endpoint({
      method: 'GET',
      path,
      name,
      tag: 'Hosted sign-in',
      summary: 'Retrieve the entitlement of a signed-in buyer',
      description,
      auth: 'bearer',
      limit: { name: 'entitlement', points: 60, seconds: 60, by: 'access token', key: byToken },
      answers: { 200: { description: 'The current entitlement.', schema: Entitlement } },
      refusals: [
        'invalid_token',
        'insufficient_scope',
        'service_not_enabled',
        'Client is not linked to an app',
        'rate_limited',
      ],
      run: ({ request }) => read(world, find, request),
    })
  return [
    row(
      '/licensing/entitlement/',
      'readEntitlement',
      'Returns the entitlement of the buyer that the access token belongs to. After a ' +
        'confirmed sign-out, the token is revoked and the endpoint returns 401.',
    ),
    row(
      '/api/v1/entitlement/',
      'readEntitlementV1',
      'Same as `/licensing/entitlement`, under the versioned path.',
    ),
  ]
}

async function read(
  { uses, clock }: World,
  find: EntitlementLookup,
  request: ServedRequest,
): Promise<Answer> {
  const found = await requireEntitlementToken(find, request)
  const { license_id } = found
  const network = coarseNetworkOf(request.ip)
  if (license_id) uses.add({ license_id, kind: 'plan_checked', network }, clock.now())
  return { json: licensing.entitlementOf(found) }
}
