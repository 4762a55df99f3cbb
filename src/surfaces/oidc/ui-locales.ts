import type { FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { World } from '#flows/world'
import { COOKIE } from '#http/browser'
import { queryOf } from '#http/input'
import { APP_LANGUAGE_COOKIE } from '#platform/language/request'
import { jarOf, requestOf } from './requests.ts'

/** As long as a person may take to sign in, with a link from their mailbox. */
const SECONDS = 3600

/**
 * Sets the language that an app requests by `ui_locales`, for the pages up to the return. A
 * language that the user chose takes precedence; unknown ones are ignored.
 */
export function setRequestedLanguage(
  world: World,
  ctx: Pick<KoaContextWithOIDC, 'cookies' | 'req'>,
): void {
  const request = requestOf(ctx.req)
  const language = requestedLanguage(world, request)
  const known = request.cookies[APP_LANGUAGE_COOKIE]
  if (language === known) return
  // The page of this very request, which may be an error, has it too.
  request.cookies[APP_LANGUAGE_COOKIE] = language
  const maxAge = language === undefined ? 0 : SECONDS
  jarOf(ctx).setCookie(APP_LANGUAGE_COOKIE, language ?? '', { ...COOKIE, maxAge })
}

/** Shows the page of a sign-out in the language that the app asks for by `ui_locales`, if any. */
export function useLanguage(world: World, request: FastifyRequest): void {
  const language = requestedLanguage(world, request)
  if (language !== undefined) request.cookies[APP_LANGUAGE_COOKIE] = language
}

function requestedLanguage({ languages }: World, request: FastifyRequest): string | undefined {
  return languages.firstOf(queryOf(request, 'ui_locales') ?? '')
}
