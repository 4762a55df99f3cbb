import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { World } from '#flows/world'

const PATHS: readonly string[] = ['/healthz', '/readyz']
const NOTHING_HERE = {
  error: 'not_found',
  message: 'This node runs background work. It answers /healthz and /readyz only.',
}

/** Answers the health checks of a node that serves nothing else. */
export function healthAlone(answer: RequestListener): RequestListener {
  return (request, response) => {
    if (PATHS.includes((request.url ?? '').split('?', 1)[0]!)) return answer(request, response)
    response.writeHead(404, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
    response.end(JSON.stringify(NOTHING_HERE))
  }
}

/** Liveness and readiness, for load balancers and monitors. */
export function health(app: FastifyInstance, { readiness, drain }: World): void {
  const config = { quiet: true }
  app.get('/healthz', { config }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!drain.isOn && (await readiness.check())) return reply.send({ status: 'ready' })
    return reply.code(503).header('retry-after', '5').send({ status: 'not ready' })
  })
}
