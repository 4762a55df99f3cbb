import type { FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { originOf } from '#http/device'
import { routePath } from '#http/input'
import { AnsweredByGuard, redirectTo, sendPage } from '#http/pages'
import { returnQuery, signInUrl } from '#http/redirect'
import { refuse } from '#http/refusals'
import { currentSession } from '#http/session'
import { accountActor, audit } from '#platform/audit'
import { localeOf } from '#platform/language/request'
import type { Limit } from '#platform/limits'
import { UnprovenPage } from './unproven-page.tsx'

/** A request of a signed-in person. */
export interface SessionContext {
  request: FastifyRequest
  reply: FastifyReply
  session: identity.Session
}

/** The re-authentication page. */
export const CONFIRM = '/account/confirm'

/**
 * Redirects to sign-in, which returns to the requested page; after a form, which it says was not
 * saved, to `home`.
 */
export function signInFirst(
  { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
  home: string,
): AnsweredByGuard {
  const address = method === 'POST' ? `${signInUrl(home)}&form=unsaved` : signInUrl(url)
  return new AnsweredByGuard((reply) => redirectTo(reply, address))
}

/** Refuses a page of an account whose email is not confirmed. */
export function confirmEmailFirst(): AnsweredByGuard {
  return new AnsweredByGuard((reply) => {
    const page = UnprovenPage({ locale: localeOf(reply.request) })
    return sendPage(reply, page, { status: 403 })
  })
}

/**
 * The session of this browser, including a session for one purchase. Without one the person signs
 * in first and returns here; after a form, to `home`.
 */
export async function requireAnySession(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
): Promise<SessionContext> {
  const session = await currentSession(world, request)
  if (!session) throw signInFirst(request, home)
  return { request, reply, session }
}

/** The session of an account with a confirmed email; a session for one purchase is refused. */
export async function requireSession(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
): Promise<SessionContext> {
  const context = await requireAnySession(world, request, reply, home)
  const { app_id, email_verified_at } = context.session
  if (app_id !== null || email_verified_at === null) {
    throw confirmEmailFirst()
  }
  return context
}

/**
 * Requires authentication within the last ten minutes, including the second factor. Others
 * re-authenticate first and return to `back`.
 */
export function requireRecentProof(
  { clock }: World,
  { request, session }: SessionContext,
  back: string = request.url,
): void {
  if (identity.isRecent(clock.now(), session)) return
  throw new AnsweredByGuard((reply) => redirectTo(reply, `${CONFIRM}${returnQuery(back)}`))
}

const REFUSALS: Limit = { name: 'refusals-noted', points: 30, seconds: 3600 }

/** Like `auditRefusal`; returns the error for a plain 404. */
export async function refuseAudited(world: World, context: SessionContext): Promise<Error> {
  await auditRefusal(world, context)
  return refuse('not_found')
}

/** Records in the audit log who requested something that is not theirs. */
export async function auditRefusal(
  { db, clock, limits }: World,
  { request, session }: SessionContext,
): Promise<void> {
  const { user_id } = session
  // Trying many addresses does not fill the audit log.
  const { allowed } = await limits.consume(REFUSALS, user_id)
  if (allowed) {
    await audit(db, clock.now(), {
      actor: accountActor(user_id, originOf(request)),
      action: 'access.refused',
      subject: routePath(request),
    })
  }
}
