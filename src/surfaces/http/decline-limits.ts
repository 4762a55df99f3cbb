import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { byIp } from '#http/limit-keys'
import { limitPage } from '#http/pages'
import type { Limit } from '#platform/limits'

// Somebody who tries card after card is testing stolen ones, wherever on the service it is done.
const DECLINES_OF_BUYER: Limit = { name: 'declines-buyer', points: 12, seconds: 3600 }
const DECLINES_OF_NETWORK: Limit = { name: 'declines-network', points: 60, seconds: 3600 }

/** Stops a buyer, or a network, whose cards are declined again and again; `points` 0 only looks. */
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
