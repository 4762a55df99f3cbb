import type { FastifyInstance } from 'fastify'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { SECURITY } from '#http/guards/owner'
import { AnsweredByGuard, sendPage } from '#http/pages'
import { currentSession } from '#http/session'
import { localeOf } from '#platform/language/request'
import { LiveAccountPage } from './live-account-page.tsx'

/** Pages that change how a person signs in, or delete the account. */
const LIVE_ONLY = [SECURITY, '/account/profile/delete']

/**
 * In the test mode beside live mode, a copy of an account has no sign-in methods of its own: these
 * pages say that they are in live mode and link there.
 */
export function requireLiveMode(scope: FastifyInstance, world: World): void {
  const { live_url } = world.config
  if (!live_url) return
  scope.addHook('preHandler', async (request) => {
    // The route's own path: an address may leave out the slash at its end, or encode a character.
    const { url = '' } = request.routeOptions
    const page = LIVE_ONLY.find((each) => url.startsWith(each))
    const session = page && (await currentSession(world, request))
    if (!session || !(await identity.isMirrored(world.db, session.user_id))) return
    const status = request.method === 'POST' ? 403 : 200
    const facts = { locale: localeOf(request), address: `${live_url}${page}` }
    throw new AnsweredByGuard((reply) => sendPage(reply, LiveAccountPage(facts), { status }))
  })
}
