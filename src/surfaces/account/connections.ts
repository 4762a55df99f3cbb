import type { FastifyInstance } from 'fastify'
import * as grants from '#domain/grants'
import { disconnectAgent, disconnectApp } from '#flows/account'
import type { World } from '#flows/world'
import { noteFor } from '#http/action-note'
import { csrfToken } from '#http/form-token'
import { requireOwner } from '#http/guards/owner'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import type { MessageId } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import { ConnectionsPage } from './connections-page.tsx'

const CONNECTIONS = '/account/connections/'

const NOTES: Record<string, MessageId> = {
  agent: 'account.done_agent',
  app: 'account.done_app',
}

/** The connected apps and agents of an account, and how to disconnect each. */
export function declareConnections(scope: FastifyInstance, world: World): void {
  // Disconnecting only removes access, so it needs no re-authentication.
  const needs = { recent: false, back: CONNECTIONS }
  scope.get(CONNECTIONS, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    const { db, clock } = world
    const { user_id } = owner
    const now = clock.now()
    const locale = localeOf(request)
    const note = noteFor(request, NOTES)
    const page = ConnectionsPage({
      locale,
      csrf_token: csrfToken(world, request, reply),
      agents: await grants.listAgents(db, now, user_id),
      apps: await grants.listApps(db, now, user_id),
      note: note && locale.t(note),
    })
    return sendPage(reply, page)
  })
  scope.post(`${CONNECTIONS}agents/end`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    const agent_id = readId('agt', formOf(request).agent)
    if (agent_id) await disconnectAgent(world, owner, agent_id)
    return redirectTo(reply, `${CONNECTIONS}?done=agent`)
  })
  scope.post(`${CONNECTIONS}apps/end`, async (request, reply) => {
    const { owner } = await requireOwner(world, request, reply, needs)
    await disconnectApp(world, owner, formOf(request).app ?? '')
    return redirectTo(reply, `${CONNECTIONS}?done=app`)
  })
}
