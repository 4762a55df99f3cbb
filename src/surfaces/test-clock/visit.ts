import type { FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import { appTime, type World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { clockNotice } from '#surfaces/app-clock'
import { csrfToken } from '#surfaces/browser'
import { sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { forAccount, type Handler, type Visit } from '#surfaces/visits'
import { type FrameFacts, NoClockPage } from './frame.tsx'

/** A visit to the test clock of an app of one's own. */
export interface ClockVisit extends Visit {
  app: apps.App
  /** What time it is for the app. */
  now: Date
  /** The path under which the clock's pages are. */
  base: string
}

/** Where the test clock of an app is. */
export function clockAddress({ slug }: { slug: string }): string {
  return `/dashboard/apps/${slug}/test-clock/`
}

/**
 * A page of the test clock for the app's registered developer; others find nothing. Where real
 * money moves there is no such clock, and the page says so.
 */
export function forClock(
  world: World,
  page: (visit: ClockVisit) => Promise<FastifyReply>,
): Handler {
  return forAccount(world, '/dashboard/', async (visit) => {
    const { slug } = visit.request.params as { slug: string }
    const developer_id = visit.session.user_id
    const app = await apps.findOwn(world.db, { slug, developer_id })
    if (!app) throw refuse('not_found')
    const clockVisit = { ...visit, app, now: appTime(world, app), base: clockAddress(app) }
    if (world.processor.name === 'sandbox') return await page(clockVisit)
    return sendPage(visit.reply, NoClockPage(await frameOf(world, clockVisit)), { status: 404 })
  })
}

/** What every page of the clock is told. */
export async function frameOf(world: World, visit: ClockVisit): Promise<FrameFacts> {
  const { request, reply, session, app, now, base } = visit
  return {
    nav: await accountNav(world, session.user_id, 'apps'),
    csrf_token: csrfToken(world, request, reply),
    app_name: app.name,
    slug: app.slug,
    base,
    now,
    is_ahead: app.clock_ahead > 0,
    notice: clockNotice(world, app),
  }
}
