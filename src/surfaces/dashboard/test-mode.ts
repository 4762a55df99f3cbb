import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type * as identity from '#domain/identity'
import { openTestModeEntry } from '#flows/test-mode'
import type { World } from '#flows/world'
import { dashboardPage, TEST_MODE } from '#http/account-menu'
import { DASHBOARD, requireMember } from '#http/guards/seller'
import { formOf, queryOf } from '#http/input'
import { AnsweredByGuard, redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm } from '#http/redirect'
import { idSchema } from '#platform/ids'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'
import { LiveOnlyPage } from './live-only-page.tsx'

/** The switch to the test mode beside live mode; it does not exist without one. */
export function declareTestMode(scope: FastifyInstance, world: World): void {
  const { test_mode } = world.config
  if (!test_mode) return
  scope.post(TEST_MODE, async (request, reply) => {
    const { session, member } = await requireMember(world, request, reply, 'view')
    const { seller_id } = member
    const return_to = dashboardPage(formOf(request).return_to ?? '')
    const wanted = signToken(world, WANTED, { session_id: session.id, seller_id, return_to })
    const address = `${test_mode.base_url}/test-mode/enter?request=${wanted}`
    return redirectAfterForm(reply, address, 'opening_test_mode')
  })

  scope.get(TEST_MODE, async (request, reply) => {
    const { session } = await requireMember(world, request, reply, 'view')
    const wanted = readToken(world, WANTED, queryOf(request, 'request'))
    const browser = queryOf(request, 'browser')
    // Another person's request: they would be signed in there in place of this one.
    if (!wanted || wanted.session_id !== session.id || !browser) return redirectTo(reply, DASHBOARD)
    const { user_id } = session
    const token = await openTestModeEntry(world, { ...wanted, user_id, browser })
    return redirectTo(reply, `${test_mode.base_url}/test-mode/enter?token=${token}`)
  })
}

/** What a member asks for in live mode, until test mode names the browser that enters. */
const WANTED: TokenKind<Omit<identity.TestModeEntry, 'user_id'>> = {
  purpose: 'test-mode-entry',
  seconds: 60,
  facts: z.object({
    session_id: idSchema('ses'),
    seller_id: idSchema('sel'),
    return_to: z.string(),
  }),
}

/** Pages of the dashboard that live mode alone has: who sells, and which apps there are. */
const LIVE_ONLY = [
  '/dashboard/start/',
  '/dashboard/seller/',
  '/dashboard/team/',
  '/dashboard/invitations/',
  '/dashboard/terms/',
  '/dashboard/apps/new/',
  '/dashboard/transfers/',
  '/dashboard/apps/:slug/transfer/',
  '/dashboard/apps/:slug/listing/images/',
]
/** Forms of an app's settings page that change the app itself. */
const LIVE_ONLY_FORMS = ['settings/', 'archive', 'restore'].map(
  (form) => `/dashboard/apps/:slug/${form}`,
)

/** In the test mode beside live mode, these pages say that they are in live mode and link there. */
export function requireLiveMode(scope: FastifyInstance, { config }: World): void {
  const { live_url } = config
  if (!live_url) return
  scope.addHook('preHandler', async ({ method, routeOptions, url }) => {
    const route = routeOptions.url ?? ''
    const isForm = method === 'POST'
    const isLiveOnly =
      LIVE_ONLY.some((page) => route.startsWith(page)) ||
      (isForm && LIVE_ONLY_FORMS.includes(route))
    if (!isLiveOnly) return
    const page = LiveOnlyPage({ address: `${live_url}${isForm ? dashboardPage(url) : url}` })
    throw new AnsweredByGuard((reply) => sendPage(reply, page, { status: isForm ? 403 : 200 }))
  })
}
