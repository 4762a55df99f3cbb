import type { FastifyReply } from 'fastify'
import { goTo, sendPage } from '#http/pages'
import { OnwardsPage } from './redirect-page.tsx'

const LONGEST_PATH = 2048
// A path that carries the request of an app (see app-request.ts) holds all that the app sent.
const LONGEST_REQUEST = 12_288

/** A path of this service to go on to; undefined for any other address. */
export function ownPath(text: string | null | undefined): string | undefined {
  if (text == null || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const most = text.startsWith('/o/continue?') ? LONGEST_REQUEST : LONGEST_PATH
  return text.length <= most ? text : undefined
}

/** The query that carries such a path along, or nothing. */
export function returnQuery(return_to: string | undefined): string {
  return return_to === undefined ? '' : `?return_to=${encodeURIComponent(return_to)}`
}

/** What a buyer reads who opened a buy link for what they have. */
export const OWNED = 'You already own this'

// Paths of pages that never lead out of the service.
const STAYS = /^\/(account|affiliate|dashboard|admin|manage|signin)\b/

/**
 * Goes on to an address after a form, by a navigation of its own where that may lead out to an app.
 * Browsers apply the `form-action` of the form's page to every redirect that follows it, also to
 * the app's own, so a redirect from here would stop at the app's next origin.
 */
export function goOn(
  reply: FastifyReply,
  address: string,
  title = 'You are signed in',
): FastifyReply {
  if (STAYS.test(address)) return goTo(reply, address)
  return sendPage(reply.header('refresh', `0; url=${address}`), OnwardsPage({ title, address }))
}
