import type { FastifyReply } from 'fastify'
import { goTo, sendPage } from '#surfaces/pages'
import { SignedInPage } from './signed-in-page.tsx'

/** A path of this service to go on to; an address of anybody else's is no path. */
export function ownPath(text: string | null | undefined): string | undefined {
  if (text == null || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  return text.length <= 2048 ? text : undefined
}

/** The query that carries such a path along, or nothing. */
export function returnQuery(return_to: string | undefined): string {
  return return_to === undefined ? '' : `?return_to=${encodeURIComponent(return_to)}`
}

/**
 * Goes on to what the visitor had begun, by a navigation of its own: it may lead out to an app, and
 * a redirect would be held to the policy of the form before, which lets it lead nowhere but here.
 */
export function goOn(reply: FastifyReply, address: string): FastifyReply {
  if (/^\/(account|affiliate|dashboard|desk|signin)\//.test(address)) return goTo(reply, address)
  return sendPage(reply.header('refresh', `0; url=${address}`), SignedInPage({ address }))
}
