import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { csrfToken } from './form-token.ts'
import { ownPath } from './redirect-path.ts'

/** Where the form that changes the language leads. */
export const LANGUAGE_PATH = '/language/'

/**
 * Adds the form that changes the language to a page that is in the reader's language. A page that
 * answers a form has none: its address alone would not show it again.
 */
export function addLanguageForm(world: World, request: FastifyRequest, reply: FastifyReply): void {
  if (request.method === 'POST') return
  request.language_form = (secret_address) =>
    request.locale && {
      languages: request.server.languages.all,
      action: LANGUAGE_PATH,
      // Other pages are named by the Referer header, so that their form is always the same.
      return_to: secret_address ? request.url : undefined,
      csrf_token: csrfToken(world, request, reply),
    }
}

/** The page on which the language was changed; the home page if the browser does not name it. */
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
