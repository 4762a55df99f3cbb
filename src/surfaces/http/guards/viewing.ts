import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JSX } from 'preact'
import type { Viewing } from '#design/menu'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { currentSession } from '#http/session'
import { ReadOnlyPage } from './read-only-page.tsx'

declare module 'fastify' {
  interface FastifyRequest {
    /** The seller whose pages staff are viewing in this request. */
    viewing?: (() => Viewing) | undefined
  }
  interface FastifyContextConfig {
    /** A form that only reads, such as a search: a person who sees the page can send it. */
    changes_nothing?: boolean
    /** A form that a suspended seller's members can send (decision 102). */
    serves_suspended?: boolean
  }
}

/** The options of such a form: the seller's money and its data stay its own. */
export const SERVES_SUSPENDED = { config: { serves_suspended: true } }

/** The form that stops viewing a seller's pages. */
export const STOP_VIEWING = '/admin/viewing/stop'

/** The forms that staff can send while they are viewing a seller's pages, besides searches. */
const ALLOWED = [STOP_VIEWING, '/signout/']

/**
 * The page that refuses a request that may change something while staff are viewing a seller's
 * pages; undefined for every other request (decision 103).
 */
export async function refusalWhileViewing(
  world: World,
  request: FastifyRequest,
): Promise<JSX.Element | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined
  const { url = '', config } = request.routeOptions
  if (ALLOWED.includes(url) || config.changes_nothing) return undefined
  const session = await currentSession(world, request)
  return session?.viewing_seller_id ? ReadOnlyPage() : undefined
}

/** Adds the banner about the seller being viewed to the pages of this request. */
export async function addViewing(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await currentSession(world, request)
  if (!session?.viewing_seller_id || !session.viewing_until) return
  const { viewing_seller_id, viewing_until: until } = session
  const seller = await sellers.findSeller(world.db, viewing_seller_id)
  const legal_name = seller?.legal_name ?? viewing_seller_id
  request.viewing = () => ({
    legal_name,
    until,
    stop: STOP_VIEWING,
    csrf_token: csrfToken(world, request, reply),
  })
}
