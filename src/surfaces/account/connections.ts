import type { FastifyInstance } from 'fastify'
import * as grants from '#domain/grants'
import { disconnectAgent, disconnectApp } from '#flows/account'
import type { World } from '#flows/world'
import { ownValue } from '#platform/text'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken } from '#surfaces/browser'
import { formOf, goTo, queryOf, sendPage } from '#surfaces/pages'
import { ConnectionsPage } from './connections-page.tsx'
import { forOwner } from './owner.ts'

const CONNECTIONS = '/account/connections/'

const NEWS: Record<string, string> = {
  agent:
    'The agent’s access is ended. Whatever it tries next is refused, until you allow it again.',
  app: 'The app is disconnected. It learns nothing more of you until you sign in to it again.',
}

/** Which apps a person signed in to, which agents he let in, and the way to end each. */
export function declareConnections(scope: FastifyInstance, world: World): void {
  // To end a connection is to be careful: nobody is asked to prove anything for it.
  const needs = { recent: false, back: CONNECTIONS }
  scope.get(
    CONNECTIONS,
    forOwner(world, needs, async ({ request, reply, owner }) => {
      const { db, clock } = world
      const { user_id } = owner
      const now = clock.now()
      const page = ConnectionsPage({
        nav: await accountNav(world, user_id, 'connections'),
        csrf_token: csrfToken(world, request, reply),
        agents: await grants.listAgents(db, now, user_id),
        apps: await grants.listApps(db, now, user_id),
        news: ownValue(NEWS, queryOf(request, 'done')),
      })
      return sendPage(reply, page)
    }),
  )
  scope.post(
    `${CONNECTIONS}agents/end`,
    forOwner(world, needs, async ({ request, reply, owner }) => {
      await disconnectAgent(world, owner, formOf(request).agent ?? '')
      return goTo(reply, `${CONNECTIONS}?done=agent`)
    }),
  )
  scope.post(
    `${CONNECTIONS}apps/end`,
    forOwner(world, needs, async ({ request, reply, owner }) => {
      await disconnectApp(world, owner, formOf(request).app ?? '')
      return goTo(reply, `${CONNECTIONS}?done=app`)
    }),
  )
}
