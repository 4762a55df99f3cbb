import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as grants from '#domain/grants'
import { excessOf } from '#http/app-request'
import { formOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { FORMS, goTo } from '#http/pages'
import { readForms } from '#platform/http'
import { networksWith } from '#platform/networks'
import { Problem } from '#platform/problem'
import type { RouteLimit } from '#platform/route-limits'
import type { OpenLibrary } from './library.ts'
import { rememberRequest } from './requests.ts'

/** The library's own addresses, under /o; whatever else it could answer is not reached. */
const ADDRESSES = [
  { path: '/auth/:uid', methods: ['GET'] },
  { path: '/token', methods: ['POST', 'OPTIONS'] },
  { path: '/token/revocation', methods: ['POST', 'OPTIONS'] },
  { path: '/me', methods: ['GET', 'POST', 'OPTIONS'] },
  { path: '/jwks', methods: ['GET', 'OPTIONS'] },
  { path: '/.well-known/openid-configuration', methods: ['GET', 'OPTIONS'] },
  // The library's own way out for a browser in which another account was signed in meanwhile.
  { path: '/session/end/confirm', methods: ['POST'] },
]

/** Asked by browsers, of which many may come from one address. */
const REQUESTS: RouteLimit = { name: 'oidc-auth', points: 120, seconds: 60, key: byIp }

/** An app's server comes for all its users from one address. */
const EXCHANGES: RouteLimit = {
  name: 'oidc',
  points: 1200,
  seconds: 60,
  key: (request) => networksWith(request.ip, request.routeOptions.url ?? ''),
}

/** Hands the protocol's requests over to the library. */
export function mountLibrary(app: FastifyInstance, library: OpenLibrary): void {
  app.register(async (scope) => {
    scope.decorate('form_limits', [EXCHANGES])
    // The library reads the body by itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const { path, methods } of ADDRESSES) {
      const url = `/o${path}`
      scope.route({
        method: methods,
        url,
        handler: (request, reply) => handOver(library, request, reply, request.url.slice(2)),
      })
    }
    const config = { limits: [REQUESTS] }
    scope.get('/o/auth', { config }, (request, reply) =>
      handOver(library, request, reply, readRequest(request.url.slice(2))),
    )
    // Where RFC 8414 looks for the description of an issuer that has a path.
    scope.get('/.well-known/oauth-authorization-server/o', (request, reply) =>
      handOver(library, request, reply, '/.well-known/oauth-authorization-server'),
    )
  })
  app.register(async (scope) => {
    scope.decorate('form_limits', [FORMS])
    readForms(scope)
    // An app may send a form as well. It comes without this site's cookies, so it is opened anew.
    for (const url of ['/o/auth', '/o/session/end']) {
      scope.post(url, async (request, reply) => {
        const asked = new URLSearchParams(formOf(request))
        assertShort(asked)
        return goTo(reply, `${url}?${asked}`)
      })
    }
  })
}

/** The request of an app as the library reads it: no longer than it may be, and with its scopes. */
function readRequest(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  assertShort(searchParams)
  const scope = searchParams.get('scope')
  const isOfAgent = searchParams.get('client_id') === grants.AGENT_CLIENT
  const scopes = isOfAgent ? grants.askedByAgent(scope) : grants.askedByApp(scope)
  searchParams.set('scope', scopes.join(' '))
  return `${pathname}?${searchParams}`
}

function assertShort(parameters: URLSearchParams): void {
  const excess = excessOf(parameters)
  if (excess !== undefined) throw new Problem(400, 'invalid_request', excess)
}

async function handOver(
  library: OpenLibrary,
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
): Promise<void> {
  const { answer } = await library()
  rememberRequest(request)
  const raw = request.raw as typeof request.raw & { originalUrl?: string }
  // By the difference of the two the library knows that it lives under /o.
  raw.originalUrl = `/o${address}`
  raw.url = address
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  await answer(raw, reply.raw)
}
