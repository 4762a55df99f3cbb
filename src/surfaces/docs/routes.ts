import type { FastifyInstance } from 'fastify'
import { AGENT_CLIENT } from '#domain/grants'
import type { World } from '#flows/world'
import { people, sendPage } from '#http/pages'
import { AgentsPage, type ToolFacts } from './agents-page.tsx'
import { SignInDocsPage } from './sign-in-page.tsx'

/** Documentation pages; the table of tools is generated from the agent endpoint. */
export function docs(app: FastifyInstance, world: World, tools: readonly ToolFacts[]): void {
  people(app, world, (scope) => {
    scope.get('/docs/agents/', async (request, reply) => {
      const page = AgentsPage({
        base_url: world.config.base_url,
        client_id: AGENT_CLIENT,
        signed_in: request.account_menu !== undefined,
        tools,
      })
      return sendPage(reply, page)
    })
    scope.get('/docs/sign-in/', async (_request, reply) => {
      const { base_url } = world.config
      return sendPage(reply, SignInDocsPage({ base_url }))
    })
  })
}
