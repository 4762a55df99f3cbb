import type { FastifyReply } from 'fastify'
import type { Link } from '#design/layout'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { clockNotice } from '#surfaces/app-clock'
import { csrfToken } from '#surfaces/browser'
import { forAccount, forOperator, type Handler, refuseVisit, type Visit } from '#surfaces/visits'

/** Who looks at a sale: its seller on the pages of the app, or staff in the admin area. */
export type Side = 'seller' | 'operator'

/** Under which address each side has its pages. */
export const PLACES: Record<Side, string> = {
  seller: '/dashboard/apps/:slug',
  operator: '/admin',
}

/** A visit of somebody who may see sales: of one app, or of all where `app` is undefined. */
export interface SalesVisit extends Visit {
  as: Side
  app: apps.App | undefined
  /** The address of the pages, without a slash at its end. */
  base: string
}

/** A page for an app's registered developer, or for staff; for others there is nothing. */
export function forSide(
  world: World,
  as: Side,
  page: (visit: SalesVisit) => Promise<FastifyReply>,
): Handler {
  if (as === 'operator') {
    const visited = (visit: Visit) => page({ ...visit, as, app: undefined, base: '/admin' })
    return forOperator(world, '/admin/', visited)
  }
  return forAccount(world, '/dashboard/', async (visit) => {
    const { slug } = visit.request.params as { slug: string }
    const app = await apps.findOwn(world.db, { slug, developer_id: visit.session.user_id })
    if (!app) return await refuseVisit(world, visit)
    return await page({ ...visit, as, app, base: `/dashboard/apps/${slug}` })
  })
}

/** Who asks, as the stories want to know it. */
export function askerOf({ session, request, as }: SalesVisit) {
  return { user_id: session.user_id, request_id: request.id, as }
}

/** What every page here is told. */
export interface PageFacts {
  nav: Link[]
  csrf_token: string
  base: string
  as: Side
  /** One line across the top: that the app lives in its own time. */
  notice: string | undefined
}

/** Gathers what every page about an app's sales is told. */
export async function pageFacts(
  world: World,
  visit: SalesVisit,
  app: apps.App,
): Promise<PageFacts> {
  const { session, request, reply, base, as } = visit
  return {
    nav: await accountNav(world, session.user_id, as === 'seller' ? 'apps' : 'admin'),
    csrf_token: csrfToken(world, request, reply),
    base,
    as,
    notice: clockNotice(world, app),
  }
}
