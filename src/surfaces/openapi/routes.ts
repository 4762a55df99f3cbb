import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { compressAnswers } from '#http/compression'
import type { Endpoint } from '#http/endpoint'
import { etagOf, isCurrent, tagOf } from '#http/etag'
import { people, sendPage } from '#http/pages'
import { openApiDocument } from './document.ts'
import { ExplorerPage } from './explorer-page.tsx'

const { version } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { version: string }

// The Fastify team's package of Swagger UI: the same files as the original, without its install
// script that reports usage.
const LIBRARY = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')
const OWN = fileURLToPath(new URL('./explorer/', import.meta.url))
const ASSETS: Record<string, string> = {
  'swagger-ui-bundle.js': LIBRARY,
  'swagger-ui.css': LIBRARY,
  'explorer.js': OWN,
  'explorer.css': OWN,
  'endpoints.css': OWN,
}

/**
 * The OpenAPI document, built once, and its explorer, which loads nothing from other hosts (spec:
 * Machine-readable description).
 */
export function openapi(app: FastifyInstance, world: World, rows: Endpoint[]): void {
  const text = JSON.stringify(openApiDocument(world.config.base_url, version, rows))
  const etag = etagOf(text)
  const headers = {
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=60',
    etag,
  }
  app.register(async (scope) => {
    await compressAnswers(scope)
    scope.get('/api/v1/schema/', async (request, reply) => {
      reply.headers(headers)
      if (isCurrent(request, etag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(text)
    })
  })

  const assets = declareAssets(app)
  const declare = (scope: FastifyInstance) => {
    scope.get('/api/v1/docs/', async (_request, reply) =>
      sendPage(reply, ExplorerPage({ base_url: world.config.base_url, version, assets }), {
        public: true,
      }),
    )
  }
  people(app, world, declare, { compressed: true })
}

/** Serves the explorer's files and returns their path, which changes with their content. */
function declareAssets(app: FastifyInstance): string {
  const contents = Object.entries(ASSETS).map(([name, folder]) => readFileSync(join(folder, name)))
  const prefix = `/api/v1/docs/assets/${tagOf(Buffer.concat(contents))}`
  app.register(async (scope) => {
    await compressAnswers(scope)
    scope.register(files, {
      root: [OWN, LIBRARY],
      prefix,
      decorateReply: false,
      index: false,
      immutable: true,
      maxAge: '365d',
      allowedPath: (path) => Object.hasOwn(ASSETS, path.slice(1)),
    })
  })
  return prefix
}
