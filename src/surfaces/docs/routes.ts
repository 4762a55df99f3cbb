import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { AGENT_CLIENT } from '#domain/grants'
import type { World } from '#flows/world'
import { people, sendPage } from '#http/pages'
import { renderMarkdown } from '#platform/documents'
import { AgentsPage, type ToolFacts } from './agents-page.tsx'
import { ChangelogPage, DocsPage } from './index-pages.tsx'
import { SignInDocsPage } from './sign-in-page.tsx'
import { type ModeUrls, TestModeDocsPage } from './test-mode-page.tsx'

const CHANGELOG = new URL('../../../CHANGELOG.md', import.meta.url)

/** Documentation pages; the table of tools is generated from the agent endpoint. */
export function docs(app: FastifyInstance, world: World, tools: readonly ToolFacts[]): void {
  const declare = (scope: FastifyInstance) => {
    const { base_url } = world.config
    const urls = modesOf(world)
    const changes = renderMarkdown(readFileSync(CHANGELOG, 'utf8').replace(/^# .*\n/, ''))
    scope.get('/docs/', async (_request, reply) =>
      sendPage(reply, DocsPage({ base_url, has_test_mode: urls !== undefined })),
    )
    scope.get('/changelog/', async (_request, reply) =>
      sendPage(reply, ChangelogPage({ base_url, clean_html: changes }), { public: true }),
    )
    scope.get('/docs/agents/', async (request, reply) => {
      const page = AgentsPage({
        base_url,
        client_id: AGENT_CLIENT,
        signed_in: request.account_menu !== undefined,
        tools,
      })
      return sendPage(reply, page)
    })
    if (urls) {
      scope.get('/docs/test-mode/', async (_request, reply) =>
        sendPage(reply, TestModeDocsPage({ base_url, urls })),
      )
    }
    scope.get('/docs/sign-in/', async (_request, reply) =>
      sendPage(reply, SignInDocsPage({ base_url })),
    )
  }
  people(app, world, declare, { compressed: true })
}

/** Both origins, where live mode has a test mode beside it; undefined for the sandbox alone. */
function modesOf({ config }: World): ModeUrls | undefined {
  const { base_url, live_url, test_mode } = config
  if (live_url) return { live: live_url, test: base_url }
  return test_mode && { live: base_url, test: test_mode.base_url }
}
