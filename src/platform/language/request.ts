import type { FastifyRequest } from 'fastify'
import type { Languages } from './languages.ts'
import type { Locale } from './locale.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The languages of the pages for buyers. */
    languages: Languages
  }
  interface FastifyRequest {
    /** The language of the response, once something asked for it. */
    locale?: Locale
  }
}

/** The cookie that remembers which language a person chose. */
export const LANGUAGE_COOKIE = '__Host-language'

/** The cookie of the language that an app asked for, while a person signs in to it. */
export const APP_LANGUAGE_COOKIE = '__Host-app-language'

/**
 * The language of a request's page: the chosen one, otherwise the one that an app asked for, or
 * that the browser prefers.
 */
export function localeOf(request: FastifyRequest): Locale {
  if (!request.locale) {
    const { languages } = request.server
    const chosen =
      languages.readTag(request.cookies?.[LANGUAGE_COOKIE]) ??
      languages.readTag(request.cookies?.[APP_LANGUAGE_COOKIE])
    request.locale = chosen
      ? languages.named(chosen)
      : languages.preferred(request.headers['accept-language'])
  }
  return request.locale
}

/** The headers of a response whose language was chosen by the request. */
export function languageHeaders({ locale }: FastifyRequest): Record<string, string> {
  if (!locale) return {}
  return { 'content-language': locale.language, vary: 'accept-language, cookie' }
}
