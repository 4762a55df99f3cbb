import type { FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { audit } from '#platform/audit'
import type { Limit } from '#platform/limits'
import { currentSession } from '#surfaces/browser'
import { originOf } from '#surfaces/device'
import { returnQuery } from '#surfaces/onwards'
import { goTo, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { StaffFactorPage } from './staff-factor-page.tsx'
import { UnprovenPage } from './unproven-page.tsx'

/** Somebody who asks for a page of his own, and may. */
export interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: identity.Session
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The page that asks somebody who is signed in to prove once more who they are. */
export const CONFIRM = '/account/confirm'

/**
 * A page for whoever is signed in in full; a session for one purchase alone is refused. Whoever is
 * not signed in does so first and comes back: after a form, to `home`.
 */
export function forAccount(
  world: World,
  home: string,
  page: (visit: Visit) => Promise<FastifyReply>,
): Handler {
  return async (request, reply) => {
    const session = await currentSession(world, request)
    if (!session) {
      const here = request.method === 'POST' ? home : request.url
      return goTo(reply, `/signin/${returnQuery(here)}`)
    }
    if (session.app_id !== null || session.email_verified_at === null) {
      return sendPage(reply, UnprovenPage(), { status: 403 })
    }
    return await page({ request, reply, session })
  }
}

/**
 * A page for the staff of the service; for everybody else there is nothing. Staff without a second
 * factor set one up first: with one, there is no session that did not prove it.
 */
export function forOperator(
  world: World,
  home: string,
  page: (visit: Visit) => Promise<FastifyReply>,
): Handler {
  return forAccount(world, home, async (visit) => {
    const user = await identity.findUser(world.db, visit.session.user_id)
    if (!user?.is_operator) return await refuseVisit(world, visit)
    const factors = await identity.factorsOf(world.db, user.id)
    if (!identity.owesFactor(factors)) {
      return sendPage(visit.reply, StaffFactorPage(), { status: 403 })
    }
    return await page(visit)
  })
}

const REFUSALS: Limit = { name: 'refusals-noted', points: 30, seconds: 3600 }

/** Answers as where there is nothing, and writes down who asked for what is not theirs. */
export async function refuseVisit(
  { db, clock, limits }: World,
  { request, session }: Visit,
): Promise<never> {
  const { user_id } = session
  // Whoever tries one address after the other does not fill the log with it.
  const { allowed } = await limits.take(REFUSALS, user_id)
  if (allowed) {
    await audit(db, clock.now(), {
      actor: user_id,
      action: 'access.refused',
      subject: request.routeOptions.url ?? 'unknown',
      origin: originOf(request),
    })
  }
  throw refuse('not_found')
}

/**
 * A step for whoever proved to be the owner in the last ten minutes, second factor included. Others
 * prove it first and come back to `back`, or to the page that they asked for.
 */
export function recently<Some extends Visit>(
  world: World,
  step: (visit: Some) => Promise<FastifyReply>,
  back: (visit: Some) => string = ({ request }) => request.url,
): (visit: Some) => Promise<FastifyReply> {
  return async (visit) => {
    if (identity.isRecent(world.clock.now(), visit.session)) return await step(visit)
    return goTo(visit.reply, `${CONFIRM}${returnQuery(back(visit))}`)
  }
}
