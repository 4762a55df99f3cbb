import type { FastifyReply } from 'fastify'
import { redirectTo, sendPage } from '#http/pages'
import { localeOf } from '#platform/language/request'
import { RedirectPage } from './redirect-page.tsx'

/** The query string for a return path, or an empty string. */
export function returnQuery(return_to: string | undefined): string {
  return return_to === undefined ? '' : `?return_to=${encodeURIComponent(return_to)}`
}

/** The page to sign in, which leads back to `return_to`. */
export function signInUrl(return_to: string | undefined): string {
  return `/signin/${returnQuery(return_to)}`
}

/** The page of the seller terms. */
export const SELLER_TERMS = '/dashboard/terms/'

/** The page to accept the seller terms, which leads back to `return_to`. */
export function sellerTermsUrl(return_to: string): string {
  return `${SELLER_TERMS}${returnQuery(return_to)}`
}

/** The action before a redirect. `owned`: the buyer already owns what the buy link sells. */
type Done =
  | 'owned'
  | 'signed_in'
  | 'signed_out'
  | 'canceled'
  | 'confirm_with_bank'
  | 'opening_test_mode'

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
  done: Done = 'signed_in',
): FastifyReply {
  if (STAYS.test(address)) return redirectTo(reply, address)
  const locale = localeOf(reply.request)
  const page = RedirectPage({ title: locale.t(`redirected.${done}`), address, locale })
  return sendPage(reply.header('refresh', `0; url=${address}`), page)
}
