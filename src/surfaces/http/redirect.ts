import type { FastifyReply } from 'fastify'
import { redirectTo, sendPage } from '#http/pages'
import { RedirectPage } from './redirect-page.tsx'

const LONGEST_PATH = 2048
// A path that carries an app's request (see app-request.ts) contains everything that the app sent.
const LONGEST_REQUEST = 12_288

/** A path of this service to redirect to; undefined for any other address. */
export function ownPath(text: string | null | undefined): string | undefined {
  if (text == null || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const most = text.startsWith('/o/continue?') ? LONGEST_REQUEST : LONGEST_PATH
  return text.length <= most ? text : undefined
}

/** The query string for a return path, or an empty string. */
export function returnQuery(return_to: string | undefined): string {
  return return_to === undefined ? '' : `?return_to=${encodeURIComponent(return_to)}`
}

/** Shown to a buyer who opens a buy link for something they own. */
export const OWNED = 'You already own this'

// Pages that never redirect out of the service.
const STAYS = /^\/(account|affiliate|dashboard|admin|manage|signin)\b/

/**
 * Redirects after a form, by way of an intermediate page if the address may lead out to an app.
 * Browsers apply the `form-action` of the form's page to every redirect that follows, including the
 * app's own, so a direct redirect would fail at the app's next origin.
 */
export function redirectAfterForm(
  reply: FastifyReply,
  address: string,
  title = 'You are signed in',
): FastifyReply {
  if (STAYS.test(address)) return redirectTo(reply, address)
  return sendPage(reply.header('refresh', `0; url=${address}`), RedirectPage({ title, address }))
}
