import type { FastifyReply, FastifyRequest } from 'fastify'
import { appTime, type World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { csrfToken } from '#http/form-token'
import { requireSeller, type SellerContext } from '#http/guards/seller'
import { AnsweredByGuard, sendPage } from '#http/pages'
import { suspensionOf } from '#http/suspended-app'
import { clockNotice } from '#http/test-clock-notice'
import type { TestMode } from './clock-work.ts'
import { type ClockLayoutFacts, NoClockPage } from './layout.tsx'

/** A request of a seller about the test clock of one of their own apps. */
export interface ClockContext extends SellerContext {
  /** The app's current time. */
  now: Date
  /** The base path of the clock's pages. */
  base: string
  test_mode: TestMode
}

/** The address of an app's test clock. */
export function clockAddress({ slug }: { slug: string }): string {
  return addressOf(slug, 'test-clock')
}

/**
 * The test clock of the app in the path, for its seller's members; a form needs `edit_apps`. Live
 * mode has none, and `available` is undefined: the page says so, with status 404.
 */
export async function requireTestClock(
  world: World,
  available: TestMode | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ClockContext> {
  const isForm = request.method === 'POST'
  const seller = await requireSeller(world, request, reply, isForm ? 'edit_apps' : 'view')
  const { app } = seller
  const context = { ...seller, now: appTime(world, app), base: clockAddress(app) }
  if (available && world.processor.has_test_clock) return { ...context, test_mode: available }
  const has_test_mode = world.config.test_mode !== undefined
  const page = NoClockPage({ ...layoutFacts(world, context), has_test_mode })
  throw new AnsweredByGuard((to) => sendPage(to, page, { status: 404 }))
}

/** What every page of the clock shows. */
export function layoutFacts(
  world: World,
  context: Omit<ClockContext, 'test_mode'>,
): ClockLayoutFacts {
  const { request, reply, app, now, base } = context
  return {
    csrf_token: csrfToken(world, request, reply),
    app_name: app.name,
    slug: app.slug,
    base,
    now,
    is_ahead: app.clock_ahead > 0,
    suspension: suspensionOf(app, context.member),
    notice: clockNotice(world, app),
  }
}
