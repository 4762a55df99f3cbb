import type { FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { originOf } from '#http/device'
import { AnsweredByGuard, goTo, sendPage } from '#http/pages'
import { returnQuery } from '#http/redirect'
import { refuse } from '#http/refusals'
import { currentSession } from '#http/session'
import { accountActor, audit } from '#platform/audit'
import type { Limit } from '#platform/limits'
import { UnprovenPage } from './unproven-page.tsx'

/** A request of a person who is signed in. */
export interface SessionContext {
  request: FastifyRequest
  reply: FastifyReply
  session: identity.Session
}

/** The page that asks a person who is signed in to prove once more who they are. */
export const CONFIRM = '/account/confirm'

/** Sends the browser to sign in; it comes back to `return_to`. */
export function signInFirst(return_to: string): AnsweredByGuard {
  return new AnsweredByGuard((reply) => goTo(reply, `/signin/${returnQuery(return_to)}`))
}

/**
 * The live session of this browser, also one that a purchase made for one app alone. Without one the
 * person signs in first and comes back: after a form, to `home`.
 */
export async function requireAnySession(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
): Promise<SessionContext> {
  const session = await currentSession(world, request)
  if (!session) throw signInFirst(request.method === 'POST' ? home : request.url)
  return { request, reply, session }
}

/** A session of an account whose email is confirmed; a session for one purchase alone is refused. */
export async function requireSession(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
): Promise<SessionContext> {
  const context = await requireAnySession(world, request, reply, home)
  const { app_id, email_verified_at } = context.session
  if (app_id !== null || email_verified_at === null) {
    throw new AnsweredByGuard((to) => sendPage(to, UnprovenPage(), { status: 403 }))
  }
  return context
}

/**
 * Requires that the person proved who they are in the last ten minutes, second factor included.
 * Others prove it first and come back to `back`.
 */
export function requireRecentProof(
  { clock }: World,
  { request, session }: SessionContext,
  back: string = request.url,
): void {
  if (identity.isRecent(clock.now(), session)) return
  throw new AnsweredByGuard((reply) => goTo(reply, `${CONFIRM}${returnQuery(back)}`))
}

const REFUSALS: Limit = { name: 'refusals-noted', points: 30, seconds: 3600 }

/** Records in the audit log who asked for what is not theirs; the refusal itself is a plain 404. */
export async function refuseAudited(
  { db, clock, limits }: World,
  { request, session }: SessionContext,
): Promise<Error> {
  const { user_id } = session
  // Trying one address after the other does not fill the log.
  const { allowed } = await limits.take(REFUSALS, user_id)
  if (allowed) {
    await audit(db, clock.now(), {
      actor: accountActor(user_id, originOf(request)),
      action: 'access.refused',
      subject: request.routeOptions.url ?? 'unknown',
    })
  }
  return refuse('not_found')
}
