import type { FastifyRequest } from 'fastify'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { bearerToken } from '#surfaces/guards'
import { refuse } from '#surfaces/refusals'
import type { Tool } from './tool.ts'

/** Where RFC 9728 has the description of the agent endpoint. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'

/** Whose access token a call carries; refuses one that is not for this endpoint. */
export async function readBearer(world: World, request: FastifyRequest): Promise<grants.Bearer> {
  const { config, db, clock } = world
  const token = bearerToken(request)
  const audience = grants.agentAudience(config.base_url)
  const bearer = token && (await grants.findBearer(db, clock.now(), { token, audience }))
  if (bearer) return bearer
  // Who showed nothing is told of no error (RFC 6750).
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

/**
 * The scope that a tool takes and a token lacks (spec: Sign-in rules, 9): writing implies reading
 * within a family, and for the tools that find things any of the four will do.
 */
export function missingScope(
  { scope }: Pick<Tool, 'scope'>,
  granted: readonly string[],
): grants.AgentScope | undefined {
  if (scope === 'any') {
    const [least] = grants.AGENT_SCOPES
    return grants.AGENT_SCOPES.some((each) => granted.includes(each)) ? undefined : least
  }
  const enough = [scope, scope.replace(/\.read$/, '.write')]
  return enough.some((each) => granted.includes(each)) ? undefined : scope
}
