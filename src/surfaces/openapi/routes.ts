import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { compressAnswers } from '#http/compression'
import type { Endpoint } from '#http/endpoint'
import { isCurrent, weakEtagOf } from '#http/etag'
import { people, sendPage } from '#http/pages'
import { once } from '#platform/once'
import { RELEASE } from '#platform/release'
import { openApiDocument } from './document.ts'
import { type EndpointPart, endpointParts } from './endpoint-part.tsx'
import { asOpenApi30 } from './openapi-30.ts'
import { type OpenApiDocument, referenceOf } from './reference.ts'
import { ReferencePage } from './reference-page.tsx'

/**
 * The OpenAPI document, and the reference that is generated from it (spec: Machine-readable
 * description). Returns each endpoint as a part for documentation pages, which also describe the
 * endpoints that exist in test mode only.
 */
export function openapi(
  app: FastifyInstance,
  world: World,
  rows: Endpoint[],
  only_in_test_mode: Endpoint[],
): Record<string, EndpointPart> {
  const { base_url } = world.config
  // Written and rendered when they are first asked for: a start should not wait for them.
  const read = (described: Endpoint[]): OpenApiDocument =>
    JSON.parse(JSON.stringify(openApiDocument(base_url, RELEASE, described)))
  const document = once(() => read(rows))
  const reference = once(() => referenceOf(document()))
  app.register(async (scope) => {
    await compressAnswers(scope)
    serveDocument(scope, '/api/v1/schema/', document)
    serveDocument(scope, '/api/v1/schema/3.0/', () => asOpenApi30(document(), base_url))
  })

  const declare = (scope: FastifyInstance) => {
    scope.get('/api/v1/docs/', async (_request, reply) =>
      sendPage(reply, ReferencePage({ base_url, reference: reference() }), { public: true }),
    )
  }
  people(app, world, declare, { compressed: true })
  const missing = only_in_test_mode.filter(({ name }) => rows.every((row) => row.name !== name))
  const all = [...rows, ...missing]
  return endpointParts(
    base_url,
    all.map(({ name }) => name),
    once(() => referenceOf(read(all))),
  )
}

function serveDocument(scope: FastifyInstance, path: string, read: () => object): void {
  const served = once(() => {
    const text = JSON.stringify(read())
    const etag = weakEtagOf(text)
    const headers = {
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=60',
      etag,
    }
    return { text, etag, headers }
  })
  scope.get(path, async (request, reply) => {
    const { text, etag, headers } = served()
    reply.headers(headers)
    if (isCurrent(request, etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
}
