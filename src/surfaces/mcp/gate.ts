import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { refuse } from '#surfaces/refusals'

/**
 * Refuses what no honest agent sends: a host name that is not the service's, the page of another
 * origin, and an Accept header that does not name JSON (spec: Agent-management endpoint). Names of
 * the loopback are good everywhere: no page in the world is served under them.
 */
export function assertWelcome(world: World, request: FastifyRequest): void {
  assertOrigin(world, request)
  if (!namesJson(request.headers.accept)) throw refuse('not_acceptable')
}

/** The part of it that a preflight must pass as well. */
export function assertOrigin({ config }: World, { host, headers }: FastifyRequest): void {
  const { hostname } = new URL(config.base_url)
  if (!validateHostHeader(host, [hostname, ...localhostAllowedHostnames()]).ok) {
    throw refuse('host_not_allowed')
  }
  const { origin } = headers
  if (origin !== config.base_url && !validateOriginHeader(origin, localhostAllowedOrigins()).ok) {
    throw refuse('origin_not_allowed')
  }
}

function namesJson(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'application/json' && !parameters.some((each) => /^q=0(\.0*)?$/.test(each))
  })
}
