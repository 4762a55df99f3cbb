import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'
import { sendProblem } from '#http/endpoint'
import { Problem } from '#platform/problem'

const PATHS: readonly string[] = ['/healthz', '/readyz']
const NOTHING_HERE = new Problem(
  404,
  'not_found',
  'This node runs background work. It answers /healthz and /readyz only.',
)

/** Answers every other request of a node that runs background work, before its route does. */
export function healthAlone(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (PATHS.includes(request.url.split('?', 1)[0]!)) done()
    else sendProblem(request, reply, NOTHING_HERE)
  })
}

/** Liveness and readiness, for load balancers and monitors. */
export function health(app: FastifyInstance, { readiness, drain }: World): void {
  const config = { quiet: true }
  app.get('/healthz', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!drain.is_on && (await readiness.check())) return reply.send({ status: 'ready' })
    return reply.code(503).header('retry-after', '5').send({ status: 'not ready' })
  })
}
