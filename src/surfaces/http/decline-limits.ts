import type { FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { byIp } from '#http/limit-keys'
import type { Limit } from '#platform/limits'
import { tooManyRequests } from '#platform/route-limits'

// Many declined cards suggest card testing, on whichever page they are entered.
const DECLINES_OF_BUYER: Limit = { name: 'declines-buyer', points: 12, seconds: 3600 }
const DECLINES_OF_NETWORK: Limit = { name: 'declines-network', points: 60, seconds: 3600 }

/** Throws `rate_limited` for a buyer or network with as many declines as their limit. */
export async function requireFewDeclines(
  world: World,
  request: FastifyRequest,
  email_normalized: string,
): Promise<void> {
  for (const [limit, key] of limitsOf(request, email_normalized)) {
    const { remaining, reset_seconds } = await world.limits.take(limit, key, 0)
    if (remaining <= 0) throw tooManyRequests(reset_seconds)
  }
}

/** Counts a declined card of a buyer, who is shown why: only the next attempt may be refused. */
export async function countDecline(
  world: World,
  request: FastifyRequest,
  email_normalized: string,
): Promise<void> {
  for (const [limit, key] of limitsOf(request, email_normalized)) {
    await world.limits.take(limit, key)
  }
}

function limitsOf(request: FastifyRequest, email_normalized: string) {
  return [
    [DECLINES_OF_BUYER, email_normalized],
    [DECLINES_OF_NETWORK, byIp(request)],
  ] as const
}
