import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'

/** Liveness and readiness, for load balancers and monitors. */
export function health(app: FastifyInstance, { readiness }: World): void {
  const config = { quiet: true }
  app.get('/healthz', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (await readiness.check()) return reply.send({ status: 'ready' })
    return reply.code(503).header('retry-after', '5').send({ status: 'not ready' })
  })
}
