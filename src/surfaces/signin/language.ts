import type { FastifyInstance } from 'fastify'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { browserHash, COOKIE, YEAR_SECONDS } from '#http/browser'
import { formOf } from '#http/input'
import { LANGUAGE_PATH, languageReturn } from '#http/language'
import { redirectTo } from '#http/pages'
import { refuse } from '#http/refusals'
import { currentSession } from '#http/session'
import { LANGUAGE_COOKIE } from '#platform/language/request'

/**
 * Changes the language of the pages of this browser and of the purchases that it has in progress;
 * for a signed-in person also of their emails and PDFs from now on.
 */
export function declareLanguage(scope: FastifyInstance, world: World): void {
  scope.post(LANGUAGE_PATH, async (request, reply) => {
    const { db, clock, languages } = world
    const form = formOf(request)
    const language = languages.readTag(form.language)
    if (!language) throw refuse('invalid_request')
    const browser_hash = browserHash(world, request, reply)
    await billing.setCartLanguage(db, clock.now(), { browser_hash, language })
    const session = await currentSession(world, request)
    if (session) await identity.setLanguage(db, session.user_id, language)
    reply.setCookie(LANGUAGE_COOKIE, language, { ...COOKIE, maxAge: YEAR_SECONDS })
    return redirectTo(reply, languageReturn(world, request, form.return_to))
  })
}
