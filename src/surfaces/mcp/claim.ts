import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderPage } from '#design/layout'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { paramsOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { markOf, pageHeaders } from '#http/pages'
import { refuse } from '#http/refusals'
import { ClaimPage } from './claim-page.tsx'

const LIMIT = { name: 'claim', points: 30, seconds: 60 }
const PATH = '/claim/:token'
const SECRET = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/**
 * The claim URL of a new client secret, which works once (spec: regenerate_client_secret). HEAD
 * requests and prefetching browsers do not use it up.
 */
export function declareClaim(app: FastifyInstance, world: World): void {
  const { db, clock, keys } = world
  const route = {
    config: { limits: [{ ...LIMIT, key: byIp }] },
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(SECRET)
    },
  }
  const tokenOf = (request: FastifyRequest) => paramsOf(PATH, request).token

  app.head(PATH, route, async (request, reply) => {
    if (!(await apps.isClaimable(db, clock.now(), tokenOf(request)))) throw refuse('unknown_claim')
    return reply.send()
  })

  app.get(PATH, { ...route, exposeHeadRoute: false }, async (request, reply) => {
    if (isReadingAhead(request)) throw refuse('not_read_ahead')
    const client_secret = await apps.takeClaim(db, clock.now(), keys, tokenOf(request))
    if (client_secret === undefined) throw refuse('unknown_claim')
    if (request.headers.accept?.includes('text/html')) {
      const page = renderPage(ClaimPage({ client_secret }), markOf(reply.server))
      return reply
        .headers({ ...pageHeaders(), ...SECRET })
        .type('text/html; charset=utf-8')
        .send(page)
    }
    return reply.type('text/plain; charset=utf-8').send(client_secret)
  })
}

function isReadingAhead({ headers }: FastifyRequest): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-moz'], headers['x-purpose']]
  return purposes.flat().some((each) => /prefetch|prerender|preview/i.test(each ?? ''))
}
