import type { FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { byIp } from '#http/limit-keys'
import { currentSession } from '#http/session'
import type { Limit, LimitKey } from '#platform/limits'
import { networksWith } from '#platform/networks'
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
  for (const [limit, key] of await limitsOf(world, request, email_normalized)) {
    const { remaining, reset_seconds } = await world.limits.consume(limit, key, 0)
    if (remaining <= 0) throw tooManyRequests(reset_seconds)
  }
}

/** Counts a declined card of a buyer, who is shown why: only the next attempt may be refused. */
export async function countDecline(
  world: World,
  request: FastifyRequest,
  email_normalized: string,
): Promise<void> {
  for (const [limit, key] of await limitsOf(world, request, email_normalized)) {
    await world.limits.consume(limit, key)
  }
}

async function limitsOf(world: World, request: FastifyRequest, email_normalized: string) {
  return [
    [DECLINES_OF_BUYER, await buyerKey(world, request, email_normalized)],
    [DECLINES_OF_NETWORK, byIp(request)],
  ] as const
}

/**
 * The account of a buyer who signed in; otherwise the network with the email address. Anyone can
 * type an address, and in a session of a checkout it is not confirmed: the declines of another
 * person must not refuse the card of its owner.
 */
async function buyerKey(
  world: World,
  request: FastifyRequest,
  email_normalized: string,
): Promise<LimitKey> {
  const session = await currentSession(world, request)
  if (session?.app_id === null) return session.user_id
  return networksWith(request.ip, email_normalized)
}
