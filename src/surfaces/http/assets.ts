import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const FOLDER = fileURLToPath(new URL('../../../.build/assets/', import.meta.url))

/** The built stylesheet, script and icon; their names contain a hash of their content. */
export function assets(app: FastifyInstance): void {
  app.register(files, {
    root: FOLDER,
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    // The build compresses each file once, as well as possible.
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    allowedPath: (path) => !path.endsWith('.json'),
  })
}
