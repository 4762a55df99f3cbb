import type { FastifyInstance } from 'fastify'
import { enterFromLive } from '#domain/identity'
import { mirror } from '#flows/test-mode'
import type { World } from '#flows/world'
import { TEST_MODE } from '#http/account-menu'
import { browserId, knownBrowser } from '#http/browser'
import { queryOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { people, redirectTo, sendPage } from '#http/pages'
import { currentSession, ENTER_FROM_LIVE, startSession } from '#http/session'
import { sha256 } from '#platform/secrets'
import { EnterFromLivePage, EntryEndedPage } from './entry-page.tsx'

const LIMIT = { name: 'enter-test-mode', points: 120, seconds: 60 }

/**
 * The way into the test mode beside live mode. A member who wants to enter arrives with the request
 * that live mode signed, and returns there with the digest of this browser. The token that live
 * mode issues for both is used up there, the seller is copied as it is now, and the member is
 * signed in here. Without the way back, the token of another person would sign this browser in as
 * that person.
 */
export function testMode(app: FastifyInstance, world: World): void {
  const { live } = world
  if (!live) return
  people(app, world, (scope) => {
    scope.get(ENTER_FROM_LIVE, (_, reply) =>
      sendPage(reply, EnterFromLivePage({ live_url: world.config.live_url })),
    )
    const options = { exposeHeadRoute: false, config: { limits: [{ ...LIMIT, key: byIp }] } }
    scope.get('/test-mode/enter', options, async (request, reply) => {
      const wanted = queryOf(request, 'request')
      if (wanted !== undefined) {
        const asked = { request: wanted, browser: digestOf(browserId(world, request, reply)) }
        const query = new URLSearchParams(asked)
        return redirectTo(reply, `${world.config.live_url}${TEST_MODE}?${query}`)
      }
      const browser = digestOf(knownBrowser(request) ?? '')
      const entry = await live.redeem({ token: queryOf(request, 'token') ?? '', browser })
      const accounts = entry && (await mirror(world, live, entry.seller_id))
      const user_id = entry && accounts?.get(entry.user_id)
      if (!user_id) {
        const page = EntryEndedPage({ live_url: world.config.live_url })
        return sendPage(reply, page, { status: 410, secret_address: true })
      }
      const { seller_id, session_id: live_session_id, return_to } = entry
      const proven = {
        user_id,
        app_id: null,
        return_to,
        is_complete: true,
        by: 'live_mode',
      } as const
      await startSession(world, request, reply, proven)
      const session = await currentSession(world, request)
      if (session) await enterFromLive(world.db, session.id, { seller_id, live_session_id })
      return redirectTo(reply, return_to)
    })
  })
}

function digestOf(browser_id: string): string {
  return sha256(browser_id).toString('base64url')
}
