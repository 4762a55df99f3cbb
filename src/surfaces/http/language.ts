import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { withoutSlash } from '#platform/text'
import { knownBrowser } from './browser.ts'
import { csrfToken } from './form-token.ts'
import { ownPath } from './redirect-path.ts'

/** The path that the form for the language is sent to. */
export const LANGUAGE_PATH = '/language/'

/**
 * Adds the form for the language to a page that is in the reader's language. A page that answers a
 * form only gets it if it shows an error at the form's own address: no other answer to a form can
 * be reloaded from its address.
 */
export function addLanguageForm(world: World, request: FastifyRequest, reply: FastifyReply): void {
  request.language_form = (secret_address) => {
    if (!request.locale || !leadsBack(request, reply)) return undefined
    return {
      languages: request.server.languages.all,
      current: request.locale.language,
      action: LANGUAGE_PATH,
      // Other pages are named by the Referer header, so that their form is always the same.
      return_to: secret_address ? request.url : undefined,
      csrf_token: csrfToken(world, request, reply),
    }
  }
}

/** Whether the address of a response leads to its page, or back to the form that it answers. */
function leadsBack(request: FastifyRequest, reply: FastifyReply): boolean {
  const { method, server, routeOptions } = request
  if (method !== 'POST') return true
  // The form of another site arrives without cookies: a new browser ID would replace the buyer's.
  if (knownBrowser(request) === undefined) return false
  // Routes are found without the slash at their end, which the server ignores.
  const url = withoutSlash(routeOptions.url ?? '')
  return reply.statusCode >= 400 && server.hasRoute({ method: 'GET', url })
}

/** The page on which the language was changed; the home page if it is unknown. */
export function languageReturn(
  { config }: Pick<World, 'config'>,
  request: FastifyRequest,
  named: string | undefined,
): string {
  const { referer } = request.headers
  const base = config.base_url
  const path = referer?.startsWith(`${base}/`) ? referer.slice(base.length) : undefined
  return ownPath(named) ?? ownPath(path) ?? '/'
}
