import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as grants from '#domain/grants'
import { excessOf } from '#http/app-request'
import { formOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { FORMS, redirectTo } from '#http/pages'
import { readForms } from '#platform/bodies'
import { networksWith } from '#platform/networks'
import { Problem } from '#platform/problem'
import type { RouteLimit } from '#platform/route-limits'
import type { OpenLibrary } from './library.ts'
import { linkRequest } from './requests.ts'

/** The library's endpoints under /o; its other endpoints are not reachable. */
const ADDRESSES = [
  { path: '/auth/:uid', methods: ['GET'] },
  { path: '/token', methods: ['POST', 'OPTIONS'] },
  { path: '/token/revocation', methods: ['POST', 'OPTIONS'] },
  { path: '/me', methods: ['GET', 'POST', 'OPTIONS'] },
  { path: '/jwks', methods: ['GET', 'OPTIONS'] },
  { path: '/.well-known/openid-configuration', methods: ['GET', 'OPTIONS'] },
  // The library's form for a browser in which another account has signed in since.
  { path: '/session/end/confirm', methods: ['POST'] },
]

/** Requested by browsers, of which many may share an address. */
const REQUESTS: RouteLimit = { name: 'oidc-auth', points: 120, seconds: 60, key: byIp }

/** An app's server exchanges tokens for all its users from one address. */
const EXCHANGES: RouteLimit = {
  name: 'oidc',
  points: 1200,
  seconds: 60,
  key: (request) => networksWith(request.ip, request.routeOptions.url ?? ''),
}

/** Routes protocol requests to the library. */
export function mountLibrary(app: FastifyInstance, library: OpenLibrary): void {
  app.register(async (scope) => {
    scope.decorate('form_limits', [EXCHANGES])
    // The library reads the body itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const { path, methods } of ADDRESSES) {
      const url = `/o${path}`
      scope.route({
        method: methods,
        url,
        handler: (request, reply) =>
          isPlainOptions(request)
            ? reply.code(204).header('allow', allowOf(methods)).send()
            : callLibrary(library, request, reply, request.url.slice(2)),
      })
    }
    const config = { limits: [REQUESTS] }
    scope.get('/o/auth', { config }, (request, reply) =>
      callLibrary(library, request, reply, readRequest(request.url.slice(2))),
    )
    // The RFC 8414 metadata address of an issuer with a path.
    scope.get('/.well-known/oauth-authorization-server/o', (request, reply) =>
      callLibrary(library, request, reply, '/.well-known/oauth-authorization-server'),
    )
  })
  app.register(async (scope) => {
    scope.decorate('form_limits', [FORMS])
    readForms(scope)
    // Apps may also post a form. It arrives without this site's cookies, so it is reopened with
    // GET.
    for (const url of ['/o/auth', '/o/session/end']) {
      scope.post(url, async (request, reply) => {
        const requested = new URLSearchParams(formOf(request))
        assertShort(requested)
        return redirectTo(reply, `${url}?${requested}`)
      })
    }
  })
}

/** Whether a request asks for the methods of an endpoint; the library knows only preflights. */
function isPlainOptions({ method, headers }: FastifyRequest): boolean {
  const isPreflight = headers.origin && headers['access-control-request-method']
  return method === 'OPTIONS' && !isPreflight
}

function allowOf(methods: readonly string[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].toSorted().join(', ')
}

/**
 * A response mode that the library does not know. It answers a request for any other one in that
 * mode, with a page of its own for `form_post`, although only `query` is allowed.
 */
const UNSUPPORTED = 'unsupported'

/** The app's request for the library: checked for length, with its scopes filled in. */
function readRequest(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  assertShort(searchParams)
  const [scope = null, ...repeated] = searchParams.getAll('scope')
  const isOfAgent = searchParams.get('client_id') === grants.AGENT_CLIENT
  const scopes = isOfAgent ? grants.scopesForAgent(scope) : grants.scopesForApp(scope)
  // The library refuses what is repeated (RFC 6749, 3.1).
  if (repeated.length === 0) searchParams.set('scope', scopes.join(' '))
  const mode = searchParams.get('response_mode')
  if (mode !== null && mode !== 'query') searchParams.set('response_mode', UNSUPPORTED)
  return `${pathname}?${searchParams}`
}

function assertShort(parameters: URLSearchParams): void {
  const excess = excessOf(parameters)
  if (excess !== undefined) throw new Problem(400, 'invalid_request', excess)
}

async function callLibrary(
  library: OpenLibrary,
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
): Promise<void> {
  const { answer } = await library()
  linkRequest(request)
  const raw = request.raw as typeof request.raw & { originalUrl?: string }
  // From the difference of the two URLs the library derives its base path /o.
  raw.originalUrl = `/o${address}`
  raw.url = address
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  await answer(raw, reply.raw)
}
