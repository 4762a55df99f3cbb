import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { asset, presentAsset } from '#platform/assets'
import { refuse } from './refusals.ts'

const FOLDER = fileURLToPath(new URL('../../../.build/assets/', import.meta.url))

/**
 * The built stylesheet, script and icon; their names contain a hash of their content. While two
 * releases run side by side, a page of one may request a file from the other: it gets the other's
 * version, uncached.
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
    // The library refuses a path that leaves the folder with an error, as if it were our bug.
    allowedPath: (path) => !path.endsWith('.json') && !path.includes('..'),
  })
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const file = request.params['*']
    const present = presentAsset(file)
    if (present === undefined) return reply.sendFile(file)
    return reply.header('cache-control', 'no-store').sendFile(present, { cacheControl: false })
  })
  app.get<{ Params: { file: string } }>('/components/:file', (request, reply) => {
    const { file } = request.params
    const built = asset('components.js').replace('/assets/', '')
    const isPinned = file === pinnedComponents()
    if (!isPinned && file !== COMPONENTS) throw refuse('not_found')
    reply.headers(FOR_OTHER_SITES)
    if (isPinned) return reply.sendFile(built)
    return reply.header('cache-control', RENEWED).sendFile(built, { cacheControl: false })
  })
}

const COMPONENTS = 'v1.js'
const RENEWED = 'public, max-age=3600, stale-while-revalidate=86400'
/** Pages of sellers load the web components from here. */
const FOR_OTHER_SITES = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/** The name of the web components with the hash of their content: this file never changes. */
export function pinnedComponents(): string {
  return asset('components.js').replace('/assets/components', 'v1')
}
