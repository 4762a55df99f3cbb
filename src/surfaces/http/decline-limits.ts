import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { byIp } from '#http/limit-keys'
import { limitPage } from '#http/pages'
import type { Limit } from '#platform/limits'

// Many declined cards suggest card testing, on whichever page they are entered.
const DECLINES_OF_BUYER: Limit = { name: 'declines-buyer', points: 12, seconds: 3600 }
const DECLINES_OF_NETWORK: Limit = { name: 'declines-network', points: 60, seconds: 3600 }

/**
 * Throws `rate_limited` for a buyer or network with too many declines; with 0 points it only
 * checks.
 */
export async function limitDeclines(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: { email_normalized: string; points: 0 | 1 },
): Promise<void> {
  const { email_normalized, points } = facts
  await limitPage(world, DECLINES_OF_BUYER, email_normalized, reply, points)
  await limitPage(world, DECLINES_OF_NETWORK, byIp(request), reply, points)
}
