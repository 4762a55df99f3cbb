import { z } from 'zod'
import * as licensing from '#domain/licensing'
import { rotateKey } from '#flows/rotate-key'
import type { ReadSigningKeys } from '#flows/signing-keys'
import type { World } from '#flows/world'
import { type Endpoint, endpoint } from '#http/endpoint'
import {
  forApps,
  requireApp,
  requireAppCredentials,
  requireAppSecret,
} from '#http/guards/app-credentials'
import { clientLimit } from '#http/limit-keys'
import { refuse } from '#http/refusals'
import { batchLookups } from '#platform/batch-lookups'
import { isoSeconds } from '#platform/calendar'
import { readId } from '#platform/ids'
import { coarseNetworkOf } from '#platform/networks'
import { plainLine } from '#platform/text'
import { openLeases } from './lease.ts'
import {
  LicenseWithKey,
  Processing,
  RegenerateRequest,
  RotatedLicense,
  ValidatedLicense,
  ValidateRequest,
} from './wire.ts'

/** The license key endpoints, called by a seller's server (spec: License key endpoints). */
export function licenseApi(world: World, readKeys: ReadSigningKeys): Endpoint[] {
  return [validate(world, readKeys), readOrder(world), regenerateKey(world)]
}

function validate(world: World, readKeys: ReadSigningKeys): Endpoint {
  const { db, keys, clock, uses } = world
  const sign = openLeases(world, readKeys)
  const findByKey = batchLookups((lookups: readonly licensing.KeyLookup[]) =>
    licensing.findByKeys(db, keys, lookups),
  )
  return endpoint({
    ...forApps(db),
    tag: 'Licenses',
    method: 'POST',
    path: '/api/v1/licenses/validate',
    name: 'validateLicense',
    summary: 'Validate a license key',
    description:
      'Returns the current state of the license. A canceled or refunded key is not an ' +
      'error: its status is `canceled`. A key of another app returns `unknown_key`. With ' +
      '`lease`, the response contains a statement that the app can verify offline.',
    limit: clientLimit('validate', 120),
    body: ValidateRequest,
    answers: { 200: { description: 'The state of the license.', schema: ValidatedLicense } },
    refusals: ['invalid_request', 'invalid_client', 'unknown_key', 'rate_limited'],
    async run({ body, request }) {
      const credentials = requireAppCredentials(request)
      const { client, found } = await findByKey({
        client_id: credentials.client_id,
        license_key: body.key,
      })
      requireAppSecret(client, credentials)
      if (!found) throw refuse('unknown_key')
      const { license_id } = found
      const network = coarseNetworkOf(request.ip)
      uses.add({ license_id, kind: 'key_checked', network }, clock.now())
      const state = licensing.stateOf(found)
      if (!body.lease) return { json: state }
      const leased = { license: found, license_key: body.key, request: body.lease }
      const lease = await sign({ ...leased, client_id: credentials.client_id })
      return { json: { ...state, lease } }
    },
  })
}

function readOrder({ db, keys, clock, uses }: World): Endpoint {
  const findByOrder = batchLookups((lookups: readonly licensing.OrderLookup[]) =>
    licensing.findByOrders(db, lookups),
  )
  return endpoint({
    ...forApps(db),
    tag: 'Licenses',
    method: 'GET',
    path: '/api/v1/orders/{ref}',
    name: 'getOrder',
    summary: "Exchange an order reference for the buyer's license and key",
    description:
      'The reference arrives with the buyer, as `svc_order` on the return URL. It is ' +
      'valid for 24 hours and can be read more than once. While a payment is processing, ' +
      'the endpoint returns 202. Retry after the seconds in Retry-After.',
    limit: clientLimit('orders', 120),
    params: z.strictObject({ ref: z.string().describe('The value of `svc_order`.') }),
    answers: {
      200: { description: 'The license, with its key.', schema: LicenseWithKey },
      202: { description: 'The payment is processing.', schema: Processing },
    },
    refusals: ['invalid_client', 'unknown_order', 'rate_limited'],
    async run({ params, request }) {
      const credentials = requireAppCredentials(request)
      const { client_id } = credentials
      const order_id = licensing.readReference(keys, clock.now(), {
        client_id,
        reference: params.ref,
      })
      const { client, found } = await findByOrder({ client_id, order_id })
      requireAppSecret(client, credentials)
      if (!found) throw refuse('unknown_order')
      if (!found.license_id) {
        return { status: 202, headers: { 'retry-after': '1' }, json: { status: 'processing' } }
      }
      const license_key = licensing.showKey(keys, found)
      const network = coarseNetworkOf(request.ip)
      uses.add({ license_id: found.license_id, kind: 'order_read', network }, clock.now())
      return { json: { ...licensing.stateOf(found), license_key } }
    },
  })
}

function regenerateKey(world: World): Endpoint {
  const { db } = world
  return endpoint({
    ...forApps(db),
    tag: 'Licenses',
    method: 'POST',
    path: '/api/v1/licenses/{license_id}/regenerate-key',
    name: 'regenerateKey',
    summary: 'Replace a compromised license key',
    description:
      'For compromised keys only: the old key stops working immediately, and the new key ' +
      'is returned once. A buyer who lost a key finds it in the buyer portal. A repeated ' +
      '`Idempotency-Key` within ten minutes replaces nothing and returns the current key.',
    limit: clientLimit('regenerate', 30),
    params: z.strictObject({ license_id: z.string().describe('From any license state.') }),
    headers: z.object({ 'idempotency-key': z.string().min(1).max(255).optional() }),
    body: RegenerateRequest,
    is_body_optional: true,
    answers: { 200: { description: 'The license, with its new key.', schema: RotatedLicense } },
    refusals: [
      'invalid_request',
      'invalid_client',
      'unknown_license',
      'license_canceled',
      'rate_limited',
    ],
    async run({ params, body, headers, request }) {
      const { client_id } = requireAppCredentials(request)
      const app_id = await requireApp(db, request)
      const license_id = readId('lic', params.license_id)
      if (!license_id) throw refuse('unknown_license')
      const rotation = await rotateKey(world, {
        app_id,
        license_id,
        actor: { kind: 'app', client_id, request_id: request.id },
        rotation_key: headers['idempotency-key'] ?? null,
        // A compromised key is replaced, whatever the reason contains.
        reason: body.reason && plainLine(body.reason),
      })
      if (rotation.outcome === 'unknown') throw refuse('unknown_license')
      if (rotation.outcome === 'canceled') throw refuse('license_canceled')
      const { license, license_key, rotated_at } = rotation
      return {
        json: { ...licensing.stateOf(license), license_key, rotated_at: isoSeconds(rotated_at) },
      }
    },
  })
}
