import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { answerProblem, mount } from '#http/endpoint'
import { requireAgentHeaders, requireAgentToken, requireKnownOrigin } from '#http/guards/agent'
import { auditingRefusals, auditRefusedProgram } from '#http/guards/refused-programs'
import { byToken } from '#http/limit-keys'
import { invalid, malformed, readNul } from '#platform/bodies'
import { faultsOfNul } from '#platform/nul-characters'
import { takePoint } from '#platform/route-limits'
import { userAgentName } from './agent-name.ts'
import type { Caller } from './call.ts'
import { declareClaim } from './claim.ts'
import { messagesOf, scopeRefusal } from './messages.ts'
import { metadata } from './metadata.ts'
import { tools } from './tools.ts'
import type { Transport } from './transport.ts'

const LIMIT = { name: 'agent', points: 60, seconds: 60 }
const BODY_LIMIT = 256 * 1024
const NO_MESSAGE = 'The request must have a JSON body: a JSON-RPC 2.0 message.'
const EVERY_MINUTE = '* * * * *'

/** The agent endpoint, its metadata, and the claim URLs of new secrets. */
export function agentEndpoint(app: FastifyInstance, world: World): void {
  let opening: Promise<Transport> | undefined
  const transport = () => {
    opening ??= loadTransport(world)
    return opening
  }
  app.addHook('onClose', async () => (await opening)?.close())
  app.register(async (scope) => {
    scope.setErrorHandler(answerProblem)
    readNul(scope)
    scope.post('/mcp', {
      bodyLimit: BODY_LIMIT,
      config: { limits: [{ ...LIMIT, key: byToken }] },
      // Calls are refused before their body is read.
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        await requireAgentHeaders(world, request)
        allowOrigin(request, reply)
      },
      preParsing: async (request) => {
        const read = () => readCaller(world, request)
        callers.set(request, await auditingRefusals(world, request, read))
      },
      handler: async (request, reply) => {
        if (request.body === undefined) throw malformed(NO_MESSAGE)
        refuseNul(request.body)
        // The limit counts each message of a batch.
        const more = messagesOf(request.body).length - 1
        if (more > 0) await takePoint(world.limits, LIMIT, byToken(request), reply, more)
        const caller = callers.get(request)!
        const refusal = scopeRefusal(world, request, { tools, bearer: caller.bearer })
        if (!refusal) return await send(reply, await (await transport()).answer(request, caller))
        await auditRefusedProgram(world, request, 'insufficient_scope')
        return reply.code(403).headers(refusal.headers).send(refusal.body)
      },
    })
  })
  app.options('/mcp', async (request, reply) => {
    await requireKnownOrigin(world, request)
    allowOrigin(request, reply)
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': String(
          request.headers['access-control-request-headers'] ?? 'authorization, content-type',
        ),
        'access-control-max-age': '86400',
      })
      .send()
  })
  mount(app, metadata(world))
  declareClaim(app, world)
  const { db, clock, jobs } = world
  jobs.schedule('forget-claims', EVERY_MINUTE, () => apps.sweepClaims(db, clock.now()))
}

const OF_ARGUMENTS = /^(\[\d+\]\.)?params\.arguments(?![^.[])/

/** Refuses a NUL, except in arguments: a call lists it with the other faults of its arguments. */
function refuseNul(body: unknown): void {
  const faults = faultsOfNul(body)
  if (!faults.every(({ path }) => OF_ARGUMENTS.test(path))) throw invalid(faults)
}

/** Loads the library of the protocol: with the first request, as most processes see none. */
async function loadTransport(world: World): Promise<Transport> {
  const [{ openTransport }, { serverFactory }] = await Promise.all([
    import('./transport.ts'),
    import('./server.ts'),
  ])
  return openTransport(serverFactory(world, tools))
}

/** Lets an allowed web page read the response; such pages send a token and never a cookie. */
function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'Origin')
  if (headers.origin === undefined) return
  reply.headers({
    'access-control-allow-origin': headers.origin,
    'access-control-expose-headers':
      'WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Mcp-Session-Id',
  })
}

const callers = new WeakMap<FastifyRequest, Caller>()

async function readCaller(world: World, request: FastifyRequest): Promise<Caller> {
  return {
    bearer: await requireAgentToken(world, request),
    request_id: request.id,
    agent: userAgentName(request.headers['user-agent']),
  }
}

async function send(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  const text = await answer.text()
  reply.code(answer.status).headers(Object.fromEntries(answer.headers))
  return reply.send(text === '' ? undefined : text)
}
