import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as affiliates from '#domain/affiliates'
import type { BroughtBy } from '#domain/billing'
import type { World } from '#flows/world'
import { firstQueryOf } from '#http/input'
import { readSignedCookie, type SignedCookie, setSignedCookie } from '#http/signed-cookie'
import { type AffiliateId, type AppId, type PriceId, readId } from '#platform/ids'
import { networkOf } from '#platform/networks'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'

const DAY = 86_400
/** The affiliate who referred the buyer; the last click counts (spec: Limits, 60 days). */
const REFERRER: SignedCookie<string> = { name: 'ref', seconds: 60 * DAY, facts: z.string() }

/**
 * Sets the affiliate of a followed link as this browser's referrer, and counts the click, for the
 * app that the link leads to, if any. An unknown code changes nothing.
 */
export async function recordReferrer(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  app_id: AppId | null = null,
): Promise<void> {
  const code = firstQueryOf(request, 'ref')
  const destination = request.headers['sec-fetch-dest']
  // A page embedded as an image or frame is not a click.
  if (code === undefined || (destination !== undefined && destination !== 'document')) return
  const affiliate = await affiliates.findByCode(world.db, code)
  if (!affiliate) return
  setSignedCookie(world, reply, REFERRER, affiliate.id)
  if (request.method !== 'GET' || !affiliates.isClick(request.headers)) return
  const visitor = `${networkOf(request.ip)} ${request.headers['user-agent']}`
  world.clicks.add({ affiliate_id: affiliate.id, app_id }, visitor, world.clock.now())
}

/** The affiliate whose link this browser followed last. */
export function referrerOf(world: World, request: FastifyRequest): AffiliateId | null {
  return readId('aff', readSignedCookie(world, request, REFERRER)) ?? null
}

/** The price that a link of the service's own leads to. */
const VIA: TokenKind<string> = {
  purpose: 'brought-by-service',
  seconds: 30 * DAY,
  facts: z.string(),
}

/** The `via` of a buy link on the marketplace: proof that the service brought the buyer. */
export function viaService(world: World, price_id: PriceId): string {
  return signToken(world, VIA, price_id)
}

/** Who brought the buyer: the service if `via` is valid, otherwise the seller. */
export function broughtBy(world: World, price_id: PriceId, via: string | undefined): BroughtBy {
  return readToken(world, VIA, via) === price_id ? 'service' : 'seller'
}
