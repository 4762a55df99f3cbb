import type { FastifyRequest } from 'fastify'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { namesType } from '#http/accept'
import { bearerChallenge, bearerToken, sendsBearerToken } from '#http/authorization'
import { refuse } from '#http/refusals'

/**
 * Refuses requests that agents do not send: another host name, the page of another origin, or an
 * Accept header without JSON (spec: Agent-management endpoint). Loopback names are always accepted,
 * because no public page is served under them.
 */
export async function requireAgentHeaders(world: World, request: FastifyRequest): Promise<void> {
  await requireKnownOrigin(world, request)
  if (!namesType(request, 'application/json')) throw refuse('not_acceptable')
}

/** The checks of `requireAgentHeaders` that apply to preflight requests too. */
export async function requireKnownOrigin(
  { config }: World,
  { host, headers }: FastifyRequest,
): Promise<void> {
  // Loaded with the first request, as most processes see none.
  const library = await import('@modelcontextprotocol/server')
  const { hostname } = new URL(config.base_url)
  const hosts = [hostname, ...library.localhostAllowedHostnames()]
  if (!library.validateHostHeader(host, hosts).ok) {
    throw refuse('host_not_allowed')
  }
  const { origin } = headers
  if (origin === config.base_url) return
  if (!library.validateOriginHeader(origin, library.localhostAllowedOrigins()).ok) {
    throw refuse('origin_not_allowed')
  }
}

/** The address of the agent endpoint's metadata (RFC 9728). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'

/** The owner of the access token; refuses tokens that are not for this endpoint. */
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
  const error = sendsBearerToken(request) ? 'invalid_token' : undefined
  // Agents begin with read access; tools that need more say so when they are called.
  const scope = grants.scopesForAgent(null).join(' ')
  throw refuse('invalid_token', { headers: challenge(world, { error, scope }) })
}

/** The challenge of the agent endpoint, with the address of its metadata (RFC 9728). */
export function challenge(
  { config }: World,
  { error, scope }: { error: string | undefined; scope: string },
): Record<string, string> {
  const resource_metadata = `${config.base_url}${METADATA_PATH}`
  return bearerChallenge({ realm: 'agent', error, scope, resource_metadata })
}
