import type { FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import type { Session } from '#domain/identity'
import type { World } from '#flows/world'
import { currentSession } from '#surfaces/browser'
import { returnQuery } from '#surfaces/onwards'
import { goTo, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { UnprovenPage } from './pages.tsx'

/** Somebody who asks for a page of the dashboard, and may. */
export interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
}

/** A visit to an app of one's own. */
export interface AppVisit extends Visit {
  app: apps.App
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** A page for whoever is signed in in full; a session for one purchase alone is refused. */
export function forAccount(world: World, page: (visit: Visit) => Promise<FastifyReply>): Handler {
  return async (request, reply) => {
    const session = await currentSession(world, request)
    if (!session) {
      const here = request.method === 'POST' ? '/dashboard/' : request.url
      return goTo(reply, `/signin/${returnQuery(here)}`)
    }
    if (session.app_id !== null || session.email_verified_at === null) {
      return sendPage(reply, UnprovenPage(), { status: 403 })
    }
    return await page({ request, reply, session })
  }
}

/** A page of the app that the address names, for its registered developer; others find nothing. */
export function forDeveloper(
  world: World,
  page: (visit: AppVisit) => Promise<FastifyReply>,
): Handler {
  return forAccount(world, async (visit) => {
    const { slug } = visit.request.params as { slug: string }
    const developer_id = visit.session.user_id
    const app = await apps.findOwn(world.db, { slug, developer_id })
    if (!app) throw refuse('not_found')
    return await page({ ...visit, app })
  })
}
