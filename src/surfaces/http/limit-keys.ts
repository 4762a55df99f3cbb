import type { FastifyRequest } from 'fastify'
import { bearerToken, credentialsOf } from '#http/authorization'
import type { LimitKey } from '#platform/limits'
import { type Network, networksOf, networksWith } from '#platform/networks'
import { sha256 } from '#platform/secrets'

/** Counts a call by its access token, of which only a digest is kept; without one by network. */
export function byToken(request: FastifyRequest): LimitKey {
  const token = bearerToken(request)
  return token ? sha256(token).toString('base64url') : networksOf(request.ip)
}

/** Counts a call by the caller's network. */
export function byIp(request: FastifyRequest): Network[] {
  return networksOf(request.ip)
}

/** Counts a call by the caller's network and the client id it names (spec: Limits). */
export function byIpAndClient(request: FastifyRequest): Network[] {
  const client_id = credentialsOf(request)?.client_id ?? ''
  return networksWith(request.ip, client_id.slice(0, 64))
}
