import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { sql } from '#platform/sql'

/** For whoever watches the machine: is the process alive, and can it serve? */
export function health(app: FastifyInstance, { db, log }: World): void {
  const config = { quiet: true }
  app.get('/healthz', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    try {
      await db.one(sql`select 1 as one`)
      return reply.send({ status: 'ready' })
    } catch (error) {
      log.warn({ error }, 'not ready: the database does not answer')
      return reply.code(503).send({ status: 'not ready' })
    }
  })
}
