import cookies from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { createServer, refuseOtherMethods } from '#platform/http'
import { assets } from '#surfaces/assets'
import { answerProblem, mount } from '#surfaces/endpoint'
import { health } from '#surfaces/health'
import { pageForError } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { account } from './account/routes.ts'
import { checkout } from './checkout/routes.ts'
import { dashboard } from './dashboard/routes.ts'
import { docs } from './docs/routes.ts'
import { entitlement } from './entitlement/routes.ts'
import { mailbox } from './letters/mailbox.ts'
import { letters } from './letters/worker.ts'
import { licenseApi } from './license-api/routes.ts'
import { marketplace } from './marketplace/routes.ts'
import { agentEndpoint } from './mcp/routes.ts'
import { tools } from './mcp/tools.ts'
import { oidc } from './oidc/routes.ts'
import { openapi } from './openapi/routes.ts'
import { portal } from './portal/routes.ts'
import { publicApi } from './public-api/routes.ts'
import { signin } from './signin/routes.ts'

/** Every address of the service on one server, and the workers of its letters. */
export async function openSite(
  world: World,
  /** Pages of the processor's own, where it has any here. */
  declareProcessor: (app: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const { config, log, random } = world
  const app = createServer({
    log,
    random,
    secure: config.base_url.startsWith('https:'),
    trusted_proxies: config.trusted_proxies,
    answer: answerProblem,
  })
  const declareRefusals = refuseOtherMethods(app)
  app.register(cookies)
  app.setErrorHandler(answerAsAsked)
  app.setNotFoundHandler((request, reply) => answerAsAsked(refuse('not_found'), request, reply))

  const rows = [...(await publicApi(world)), ...licenseApi(world), ...entitlement(world)]
  mount(app, world.limits, rows)
  openapi(app, world, rows)
  checkout(app, world)
  signin(app, world)
  oidc(app, world)
  agentEndpoint(app, world)
  account(app, world)
  portal(app, world)
  dashboard(app, world)
  marketplace(app, world)
  docs(app, world, tools)
  mailbox(app, world)
  assets(app)
  health(app, world)
  declareProcessor(app)
  declareRefusals()
  letters(world)
  await app.ready()
  return app
}

/** Answers a person's browser with a page, and a program with JSON. */
function answerAsAsked(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wantsPage = request.headers.accept?.includes('text/html') ?? false
  return wantsPage ? pageForError(error, request, reply) : answerProblem(error, request, reply)
}
