import { bearerToken, credentialsOf } from '#http/authorization'
import type { LimitKey } from '#platform/limits'
import { type Network, networksOf, networksWith } from '#platform/networks'
import { sha256 } from '#platform/secrets'
import type { ServedRequest } from '#platform/served-request'

/** Counts by a hash of the access token; without one, by network. */
export function byToken(request: ServedRequest): LimitKey {
  const token = bearerToken(request)
  return token ? sha256(token).toString('base64url') : networksOf(request.ip)
}

/** Counts by the caller's network. */
export function byIp(request: ServedRequest): Network[] {
  return networksOf(request.ip)
}

/** Counts by the caller's network and client ID (spec: Limits). */
function byIpAndClient(request: ServedRequest): Network[] {
  const client_id = credentialsOf(request)?.client_id ?? ''
  return networksWith(request.ip, client_id.slice(0, 64))
}

/**
 * A limit of an endpoint for servers: the number of requests per minute by network and client ID.
 */
export function clientLimit(name: string, points: number) {
  return { name, points, seconds: 60, by: 'caller IP and client ID', key: byIpAndClient }
}
