import type { FastifyReply, FastifyRequest } from 'fastify'
import * as affiliates from '#domain/affiliates'
import type { BroughtBy } from '#domain/billing'
import type { World } from '#flows/world'
import { clearMark, type Mark, readMark, setMark } from '#surfaces/browser'

const DAY = 86_400
/** Who referred the buyer: the last click wins (spec: Limits, 60 days). */
const REFERRER: Mark = { name: 'ref', seconds: 60 * DAY }

function broughtMark(app_id: string): Mark {
  return { name: `brought-${app_id}`, seconds: 30 * DAY }
}

/** Notes the affiliate of a link that a person followed; an unknown code changes nothing. */
export async function noteReferrer(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  code: string | undefined,
): Promise<void> {
  const destination = request.headers['sec-fetch-dest']
  // An address that a page loads as a picture or a frame is no click.
  if (code === undefined || (destination !== undefined && destination !== 'document')) return
  const affiliate = await affiliates.findByCode(world.db, code)
  if (!affiliate) return
  setMark(world, reply, REFERRER, affiliate.id)
}

/** The affiliate whose link this browser followed last. */
export function referrerOf(world: World, request: FastifyRequest): string | null {
  return readMark(world, request, REFERRER) ?? null
}

/** Notes that the service's own product page sent this buyer to an app's checkout. */
export function noteMarketplace(world: World, reply: FastifyReply, app_id: string): void {
  setMark(world, reply, broughtMark(app_id), 'service')
}

/** Notes that a link of another site came after: the seller brought this buyer. */
export function noteSellersLink(
  request: FastifyRequest,
  reply: FastifyReply,
  app_id: string,
): void {
  const from = request.headers['sec-fetch-site']
  // A link of our own is `same-origin`, and an address that somebody typed is `none`.
  if (from === 'cross-site' || from === 'same-site') clearMark(reply, broughtMark(app_id))
}

/** Who brought this buyer to an app. */
export function broughtBy(world: World, request: FastifyRequest, app_id: string): BroughtBy {
  return readMark(world, request, broughtMark(app_id)) === 'service' ? 'service' : 'seller'
}
