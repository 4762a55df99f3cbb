import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { namesType } from '#http/accept'
import { bearerToken } from '#http/authorization'
import { refuse } from '#http/refusals'

/**
 * Refuses what no agent sends: a host name that is not the service's, the page of another
 * origin, and an Accept header that does not name JSON (spec: Agent-management endpoint). Names of
 * the loopback are accepted everywhere: no page in the world is served under them.
 */
export function requireAgentHeaders(world: World, request: FastifyRequest): void {
  requireKnownOrigin(world, request)
  if (!namesType(request, 'application/json')) throw refuse('not_acceptable')
}

/** The part of it that a preflight must pass as well. */
export function requireKnownOrigin({ config }: World, { host, headers }: FastifyRequest): void {
  const { hostname } = new URL(config.base_url)
  if (!validateHostHeader(host, [hostname, ...localhostAllowedHostnames()]).ok) {
    throw refuse('host_not_allowed')
  }
  const { origin } = headers
  if (origin !== config.base_url && !validateOriginHeader(origin, localhostAllowedOrigins()).ok) {
    throw refuse('origin_not_allowed')
  }
}

/** Where RFC 9728 has the description of the agent endpoint. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'

/** Whose access token a call carries; refuses one that is not for this endpoint. */
export async function requireAgentToken(
  world: World,
  request: FastifyRequest,
): Promise<grants.Bearer> {
  const { config, db, clock } = world
  const token = bearerToken(request)
  const audience = grants.agentAudience(config.base_url)
  const bearer = token && (await grants.findBearer(db, clock.now(), { token, audience }))
  if (bearer) return bearer
  // A call without a token gets no error code (RFC 6750).
  const error = token && 'invalid_token'
  // To read is what agents begin with; a tool that takes more says so when it is called.
  const scope = grants.askedByAgent(null).join(' ')
  throw refuse('invalid_token', { headers: challenge(world, { error, scope }) })
}

/** What a bearer must show, and where it is described how to get it (RFC 6750, RFC 9728). */
export function challenge(
  { config }: World,
  { error, scope }: { error: string | undefined; scope: string },
): Record<string, string> {
  const parts = [
    'realm="agent"',
    ...(error ? [`error="${error}"`] : []),
    `scope="${scope}"`,
    `resource_metadata="${config.base_url}${METADATA_PATH}"`,
  ]
  return { 'www-authenticate': `Bearer ${parts.join(', ')}` }
}
