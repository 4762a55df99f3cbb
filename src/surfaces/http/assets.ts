import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { presentAsset } from '#platform/assets'

const FOLDER = fileURLToPath(new URL('../../../.build/assets/', import.meta.url))

/**
 * The built stylesheet, script and icon; their names contain a hash of their content. While two
 * releases run side by side, a page of one may ask the other: it gets that one's file, uncached.
 */
export function assets(app: FastifyInstance): void {
  app.register(files, {
    root: FOLDER,
    serve: false,
    index: false,
    // The build compresses each file once, as well as possible.
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    allowedPath: (path) => !path.endsWith('.json'),
  })
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const file = request.params['*']
    const present = presentAsset(file)
    if (present === undefined) return reply.sendFile(file)
    return reply.header('cache-control', 'no-store').sendFile(present, { cacheControl: false })
  })
}
