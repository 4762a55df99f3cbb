import type { FastifyInstance } from 'fastify'
import * as identity from '#domain/identity'
import { endOtherSessions, endSession } from '#flows/account'
import type { World } from '#flows/world'
import { noteFor } from '#http/action-note'
import { csrfToken } from '#http/form-token'
import { requireOwner, SECURITY } from '#http/guards/owner'
import { requireAnySession } from '#http/guards/session'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import type { MessageId } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import { LimitedSecurityPage, OverviewPage } from './overview-page.tsx'

const NOTES: Record<string, MessageId> = {
  password: 'account.done_password',
  email: 'account.done_email',
  authenticator: 'account.done_authenticator',
  passkey: 'account.done_passkey',
  authenticator_removed: 'account.done_authenticator_removed',
  passkey_removed: 'account.done_passkey_removed',
  session: 'account.done_session',
  sessions: 'account.done_sessions',
}

/** The security page, and signing other browsers out. */
export function declareOverview(scope: FastifyInstance, world: World): void {
  scope.get(SECURITY, async (request, reply) => {
    const { session } = await requireAnySession(world, request, reply, SECURITY)
    const { db, clock } = world
    const { user_id, email } = session
    const locale = localeOf(request)
    if (session.app_id !== null) return sendPage(reply, LimitedSecurityPage({ email, locale }))
    const now = clock.now()
    const user = await identity.getUser(db, user_id)
    const change = await identity.findPendingChange(db, user_id)
    const note = noteFor(request, NOTES)
    const page = OverviewPage({
      locale,
      csrf_token: csrfToken(world, request, reply),
      email,
      new_email: change?.new_email,
      has_password: user.password_hash !== null,
      factors: await identity.factorsOf(db, user_id),
      passkeys: await identity.listPasskeys(db, user_id),
      sessions: await identity.listSessions(db, now, user_id),
      session_id: session.id,
      note: note && locale.t(note),
    })
    return sendPage(reply, page)
  })

  // Ending a session only removes access, so it needs no re-authentication.
  const needs = { recent: false, back: SECURITY }
  scope.post(`${SECURITY}sessions/end`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    const session_id = readId('ses', formOf(request).session)
    if (session_id) await endSession(world, owner, session_id)
    return redirectTo(reply, `${SECURITY}?done=session`)
  })
  scope.post(`${SECURITY}sessions/end-others`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    await endOtherSessions(world, owner)
    return redirectTo(reply, `${SECURITY}?done=sessions`)
  })
}
