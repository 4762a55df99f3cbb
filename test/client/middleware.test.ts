/** The same table of requests through the middleware of each framework. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import {
  type Entitlement,
  InsufficientScopeError,
  isPurserError,
  type LicenseState,
  PurserError,
  RateLimitedError,
  ServiceNotEnabledError,
  UnreachableError,
} from '@purser/client'
import * as forExpress from '@purser/client/express'
import * as forFastify from '@purser/client/fastify'
import * as forHono from '@purser/client/hono'
import * as forNext from '@purser/client/next'
import { createTestPurser } from '@purser/client/testing'
import express from 'express'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { Hono } from 'hono'
import { license } from './fake-service.ts'

const details = (status: number, code: string) => ({ status, code, request_id: null })

/** What a key or token leads to. */
const OUTCOMES: Record<string, object> = {
  good: license(),
  other: license({ product_public_id: 'prod_other' }),
  lapsed: license({ entitled: false, status: 'past_due' }),
  unknown: new PurserError('unknown', details(404, 'unknown_key')),
  revoked: new PurserError('revoked', details(401, 'invalid_token')),
  narrow: new InsufficientScopeError('narrow', {
    ...details(403, 'insufficient_scope'),
    scope: 'entitlements',
  }),
  disabled: new ServiceNotEnabledError('off', details(403, 'service_not_enabled')),
  down: new UnreachableError('down', details(503, 'unreachable')),
  busy: new RateLimitedError('busy', { ...details(429, 'rate_limited'), retry_after: 7.5 }),
  misconfigured: new PurserError('wrong secret', details(401, 'invalid_client')),
}

async function outcomeOf<State>(secret: string): Promise<State> {
  const outcome = OUTCOMES[secret]
  if (outcome === undefined || outcome instanceof Error) throw outcome
  return outcome as State
}

const licenses = { validate: (key: string) => outcomeOf<LicenseState>(key) }
const entitlements = { entitlement: (token: string) => outcomeOf<Entitlement>(token) }

const products = ['prod_pro']
const read = () => 'good'

type Site = { name: string; url: string }
const closing: (() => unknown)[] = []
after(() => Promise.all(closing.map((close) => close())))

async function expressSite(): Promise<string> {
  const app = express()
  const show: express.RequestHandler = (request, response) => {
    response.json({ status: request.license?.status ?? request.entitlement?.status })
  }
  app.get('/license', forExpress.requireLicense(licenses), (request, response) => {
    assert.equal(forExpress.licenseOf(request), request.license)
    response.json({ status: request.license?.status })
  })
  app.get('/plan', forExpress.requireLicense(licenses, { products }), show)
  app.get('/session', forExpress.requireLicense(licenses, { read }), show)
  app.get('/entitlement', forExpress.requireEntitlement(entitlements), (request, response) => {
    response.json({ status: forExpress.entitlementOf(request).status })
  })
  const refuse: express.RequestHandler = (_request, response) => response.redirect(303, '/buy')
  app.get(
    '/replaced',
    forExpress.requireLicense(licenses, {
      refuse: (_refusal, request: express.Request, response: express.Response, next) =>
        refuse(request, response, next),
    }),
    show,
  )
  const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(500).json({ error: error.code })
  }
  app.use(onError)
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function fastifySite(): Promise<string> {
  const app = Fastify()
  app.setErrorHandler((error: PurserError, _request, reply) =>
    reply.code(500).send({ error: error.code }),
  )
  const show = async (request: object) => ({ status: forFastify.licenseOf(request).status })
  app.get('/license', { preHandler: forFastify.requireLicense(licenses) }, show)
  app.get('/plan', { onRequest: forFastify.requireLicense(licenses, { products }) }, show)
  app.get('/session', { preHandler: forFastify.requireLicense(licenses, { read }) }, show)
  app.get(
    '/entitlement',
    { preHandler: forFastify.requireEntitlement(entitlements) },
    async (request) => ({ status: forFastify.entitlementOf(request).status }),
  )
  app.get(
    '/replaced',
    {
      preHandler: forFastify.requireLicense(licenses, {
        refuse: (_refusal, _request: FastifyRequest, reply: FastifyReply) =>
          reply.redirect('/buy', 303),
      }),
    },
    show,
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  closing.push(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

type Handler = (request: Request) => Response | Promise<Response>

async function standardSite(fetch: Handler): Promise<string> {
  const server = createServer(async ({ url, headers }, response) => {
    const { authorization } = headers
    const request = new Request(new URL(url ?? '/', 'http://localhost'))
    if (authorization) request.headers.set('authorization', authorization)
    const answer = await fetch(request)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function honoSite(): Promise<string> {
  type OwnVariables = { locale: string }
  const app = new Hono<{
    Variables: forHono.LicenseVariables & forHono.EntitlementVariables & OwnVariables
  }>()
  app.onError((error, c) => c.json({ error: (error as PurserError).code }, 500))
  app.get('/license', forHono.requireLicense(licenses), (c) => {
    assert.equal(forHono.licenseOf(c), c.var.license)
    return c.json({ status: c.var.license.status })
  })
  const show = (c: object) => Response.json({ status: forHono.licenseOf(c).status })
  app.get('/plan', forHono.requireLicense(licenses, { products }), show)
  app.get('/session', forHono.requireLicense(licenses, { read }), show)
  app.get('/entitlement', forHono.requireEntitlement(entitlements), (c) =>
    c.json({ status: c.get('entitlement').status }),
  )
  const refuse = () => new Response(null, { status: 303, headers: { location: '/buy' } })
  app.use('/replaced', forHono.requireLicense(licenses, { refuse }))
  app.get('/replaced', show)
  return standardSite((request) => app.fetch(request))
}

function nextSite(): Promise<string> {
  const show = (_request: Request, { status }: { status: string }) => Response.json({ status })
  const refuse = () => new Response(null, { status: 303, headers: { location: '/buy' } })
  const routes: Record<string, (request: Request, context: unknown) => Promise<Response>> = {
    '/license': forNext.requireLicense(licenses)(show),
    '/plan': forNext.requireLicense(licenses, { products })(show),
    '/session': forNext.requireLicense(licenses, { read })(show),
    '/entitlement': forNext.requireEntitlement(entitlements)(show),
    '/replaced': forNext.requireLicense(licenses, { refuse })(show),
  }
  return standardSite((request) =>
    routes[new URL(request.url).pathname]!(request, {}).catch(({ code }) =>
      Response.json({ error: code }, { status: 500 }),
    ),
  )
}

const SITES = { Express: expressSite, Fastify: fastifySite, Hono: honoSite, 'Next.js': nextSite }

async function get({ url }: Site, path: string, secret?: string) {
  const headers = new Headers(secret ? { authorization: `Bearer ${secret}` } : {})
  const answer = await fetch(url + path, { headers, redirect: 'manual' })
  const text = await answer.text()
  return { answer, body: text.startsWith('{') ? JSON.parse(text) : null }
}

const CASES: [path: string, secret: string | undefined, status: number, body: string][] = [
  ['/license', 'good', 200, 'active'],
  ['/license', undefined, 401, 'credentials_required'],
  ['/license', 'unknown', 401, 'unknown_key'],
  ['/license', 'lapsed', 402, 'not_entitled'],
  ['/license', 'down', 503, 'unavailable'],
  ['/license', 'busy', 503, 'unavailable'],
  ['/license', 'misconfigured', 500, 'invalid_client'],
  ['/plan', 'good', 200, 'active'],
  ['/plan', 'other', 403, 'plan_required'],
  ['/session', undefined, 200, 'active'],
  ['/entitlement', 'good', 200, 'active'],
  ['/entitlement', undefined, 401, 'credentials_required'],
  ['/entitlement', 'revoked', 401, 'invalid_token'],
  ['/entitlement', 'narrow', 403, 'insufficient_scope'],
  ['/entitlement', 'disabled', 503, 'service_not_enabled'],
  ['/entitlement', 'lapsed', 402, 'not_entitled'],
  ['/replaced', 'good', 200, 'active'],
]

for (const [name, open] of Object.entries(SITES)) {
  describe(name, async () => {
    const site = { name, url: '' }
    const opened = open().then((url) => {
      site.url = url
    })

    for (const [path, secret, status, expected] of CASES) {
      test(`answers ${status} ${expected} to ${path} with ${secret ?? 'nothing'}`, async () => {
        await opened
        const { answer, body } = await get(site, path, secret)
        assert.equal(answer.status, status)
        assert.equal(body.status ?? body.error, expected)
        if (status === 200 || status === 500) return
        assert.ok(body.message.endsWith('.'))
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      })
    }

    test('names the challenge of a 401, and when to retry after a 503', async () => {
      await opened
      const challenge = async (path: string, secret?: string) =>
        (await get(site, path, secret)).answer.headers.get('www-authenticate')
      assert.equal(await challenge('/license'), 'Bearer')
      assert.equal(await challenge('/entitlement', 'revoked'), 'Bearer error="invalid_token"')
      assert.equal((await get(site, '/license', 'busy')).answer.headers.get('retry-after'), '8')
      assert.equal((await get(site, '/license', 'down')).answer.headers.get('retry-after'), '5')
    })

    test('lets the seller replace a refusal', async () => {
      await opened
      const { answer } = await get(site, '/replaced', 'lapsed')
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/buy'])
    })
  })
}

test('a wrong secret is an error of the server in the error handlers of Express and Fastify', async () => {
  const app = express()
  app.set('env', 'test')
  app.get('/license', forExpress.requireLicense(licenses), () => {})
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { answer } = await get({ name: 'Express', url }, '/license', 'misconfigured')
  assert.equal(answer.status, 500)

  const fastify = Fastify()
  const preHandler = forFastify.requireLicense(licenses)
  fastify.get('/license', { preHandler }, async () => ({}))
  const headers = { authorization: 'Bearer misconfigured' }
  const { statusCode } = await fastify.inject({ url: '/license', headers })
  assert.equal(statusCode, 500)
})

test('an error of a call in a handler is a 500 of Express and Fastify, wrapped as in the README', async () => {
  const wrapped = (error: unknown) =>
    isPurserError(error) ? new Error(error.message, { cause: error }) : error
  const call = () => licenses.validate('misconfigured')
  const app = express()
  app.set('env', 'test')
  app.get('/', call)
  const onError: express.ErrorRequestHandler = (error, _request, _response, next) =>
    next(wrapped(error))
  app.use(onError)
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  assert.equal((await fetch(url)).status, 500)

  const fastify = Fastify()
  fastify.setErrorHandler((error) => {
    throw wrapped(error)
  })
  fastify.get('/', call)
  assert.equal((await fastify.inject('/')).statusCode, 500)
})

test('an error of the configuration names its cause', async () => {
  const guard = forNext.requireLicense(licenses)(() => new Response())
  const headers = { authorization: 'Bearer misconfigured' }
  const request = new Request('https://app.example/', { headers })
  await assert.rejects(guard(request, {}), (error) => {
    assert.ok(isPurserError(error, 'invalid_client'))
    assert.equal(error.message, 'wrong secret')
    assert.equal(error.cause, OUTCOMES.misconfigured)
    return true
  })
})

test('refuses a key or token that a URL repeats as one that is not valid', async () => {
  const purser = createTestPurser()
  const read = (request: Request) => {
    const keys = new URL(request.url).searchParams.getAll('key')
    return keys as unknown as string
  }
  const request = new Request('https://app.example/?key=key_1&key=key_2')
  for (const [guard, code] of [
    [forNext.requireLicense(purser.client, { read }), 'unknown_key'],
    [forNext.requireEntitlement(purser.client, { read }), 'invalid_token'],
  ] as const) {
    const answer = await guard(() => new Response())(request, {})
    assert.deepEqual([answer.status, (await answer.json()).error], [401, code])
  }
  assert.deepEqual(purser.requests, [])
})

test('refuses a very long key or token as one that is not valid, without a request', async () => {
  const purser = createTestPurser()
  const headers = { authorization: `Bearer ${'x'.repeat(70_000)}` }
  for (const [guard, code] of [
    [forNext.requireLicense(purser.client), 'unknown_key'],
    [forNext.requireEntitlement(purser.client), 'invalid_token'],
  ] as const) {
    const request = new Request('https://app.example/', { headers })
    const answer = await guard(() => new Response())(request, {})
    assert.deepEqual([answer.status, (await answer.json()).error], [401, code])
  }
  assert.deepEqual(purser.requests, [])
})

test('middleware without what it needs is refused when it is created', () => {
  type Require = (source: unknown, options?: object) => unknown
  for (const framework of [forExpress, forFastify, forHono, forNext]) {
    const { requireLicense, requireEntitlement } = framework as Record<string, Require>
    for (const source of [{}, undefined, entitlements]) {
      assert.throws(() => requireLicense!(source), {
        name: 'TypeError',
        message: 'requireLicense needs a client, or cachedValidator(client), as its first argument',
      })
    }
    for (const source of [{}, undefined, licenses]) {
      assert.throws(() => requireEntitlement!(source), {
        name: 'TypeError',
        message:
          'requireEntitlement needs a client, or cachedEntitlements(client), as its first argument',
      })
    }
    // Such as the ID of one plan, or a variable of the environment that is not set.
    for (const products of ['prod_pro', [undefined], ['Pro']]) {
      assert.throws(() => requireLicense!(licenses, { products }), {
        name: 'TypeError',
        message: 'products must list the product_public_id of each plan, which starts with "prod_"',
      })
    }
  }
})

test('Next.js middleware continues for a licensed request, and otherwise answers', async () => {
  const { middleware } = forNext.requireLicense(licenses)
  const request = (secret: string) =>
    new Request('https://app.example/', { headers: { authorization: `Bearer ${secret}` } })
  assert.equal(await middleware(request('good')), undefined)
  assert.equal((await middleware(request('lapsed')))?.status, 402)
})

test('a handler without its middleware is an error that says so', () => {
  assert.throws(() => forExpress.licenseOf({}), /requireLicense did not run/)
  assert.throws(() => forHono.entitlementOf({}), /requireEntitlement did not run/)
})
