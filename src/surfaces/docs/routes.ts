import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { isCurrent, weakEtagOf } from '#http/etag'
import { queryOf } from '#http/input'
import { people, sendPage } from '#http/pages'
import { once } from '#platform/once'
import { readChangelog } from './changelog.ts'
import { ChangelogPage, DocsPage, DocsSearchPage } from './docs-pages.tsx'
import { openLibrary } from './library.ts'
import { type DocsParts, partsOf } from './parts.tsx'
import { openSearch } from './search.ts'
import { openValues } from './values.ts'

const SEARCH = '/docs/search/'

/**
 * The documentation: a page for each Markdown file, and the search over all of them. Returns the
 * paths of the pages.
 */
export function docs(app: FastifyInstance, world: World, made: DocsParts): readonly string[] {
  const { base_url } = world.config
  const library = openLibrary(base_url, { values: openValues(world), parts: partsOf(made) })
  const declare = (scope: FastifyInstance) => {
    const changelog = once(readChangelog)
    scope.get('/changelog/', async (_request, reply) =>
      sendPage(reply, ChangelogPage({ base_url, ...changelog() }), { public: true }),
    )
    for (const path of library.paths) {
      scope.get(path, async (_request, reply) =>
        sendPage(reply, DocsPage(library.page(path)!), { public: true }),
      )
    }
    const searchOf = once(() => openSearch(library))
    scope.get(SEARCH, async (request, reply) => {
      const query = (queryOf(request, 'q') ?? '').trim()
      const { search } = await searchOf()
      const found = query === '' ? [] : search(query)
      const title = query === '' ? 'Search' : `Results for ${query.slice(0, 60)}`
      const description = counted(query, found.length)
      const layout = library.layoutOf({ path: SEARCH, title, description })
      return sendPage(reply, DocsSearchPage({ layout, query, found }))
    })
    scope.get('/docs/search.json', async (request, reply) => {
      const { index } = await searchOf()
      const etag = weakEtagOf(index)
      reply.headers({ 'cache-control': 'public, max-age=60', etag })
      if (isCurrent(request, etag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(index)
    })
  }
  people(app, world, declare, { compressed: true })
  return library.paths
}

function counted(query: string, count: number): string {
  if (query === '') return 'Enter a word, an endpoint or an error code.'
  return count === 1 ? '1 section.' : `${count} sections.`
}
