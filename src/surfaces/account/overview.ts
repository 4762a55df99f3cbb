import type { FastifyInstance } from 'fastify'
import * as identity from '#domain/identity'
import { endOtherSessions, endSession } from '#flows/account'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { requireOwner, SECURITY } from '#http/guards/owner'
import { requireAnySession } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import { ownValue } from '#platform/text'
import { OverviewPage, UnprovenPage } from './overview-page.tsx'

const NOTES: Record<string, string> = {
  password: 'Password saved. Every other browser was signed out.',
  email: 'We sent an email to the new address. Your email changes once you confirm it there.',
  authenticator: 'Authenticator app set up. Signing in now requires its code.',
  passkey: 'Passkey added.',
  removed: 'Removed.',
  sessions: 'Signed out.',
}

/** The security page, and signing other browsers out. */
export function declareOverview(scope: FastifyInstance, world: World): void {
  scope.get(SECURITY, async (request, reply) => {
    const { session } = await requireAnySession(world, request, reply, SECURITY)
    const { db, clock } = world
    const { user_id, email } = session
    if (session.app_id !== null) {
      return sendPage(reply, UnprovenPage({ email, locale: localeOf(request) }))
    }
    const now = clock.now()
    const user = (await identity.findUser(db, user_id))!
    const change = await identity.findPendingChange(db, user_id)
    const page = OverviewPage({
      csrf_token: csrfToken(world, request, reply),
      email,
      new_email: change?.new_email,
      has_password: user.password_hash !== null,
      factors: await identity.factorsOf(db, user_id),
      passkeys: await identity.listPasskeys(db, user_id),
      sessions: await identity.listSessions(db, now, user_id),
      session_id: session.id,
      note: ownValue(NOTES, queryOf(request, 'done')),
    })
    return sendPage(reply, page)
  })

  // Ending a session only removes access, so it needs no re-authentication.
  const needs = { recent: false, back: SECURITY }
  const done = `${SECURITY}?done=sessions`
  scope.post(`${SECURITY}sessions/end`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    const session_id = readId('ses', formOf(request).session)
    if (session_id) await endSession(world, owner, session_id)
    return redirectTo(reply, done)
  })
  scope.post(`${SECURITY}sessions/end-others`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    await endOtherSessions(world, owner)
    return redirectTo(reply, done)
  })
}
