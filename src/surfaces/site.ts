import cookies from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerFactory } from 'fastify'
import { openSigningKeys, type ReadSigningKeys } from '#flows/signing-keys'
import type { TestProcessor } from '#flows/test-clock'
import type { World } from '#flows/world'
import { namesType } from '#http/accept'
import { addAccountMenu } from '#http/account-menu'
import { assets } from '#http/assets'
import { answerProblem, type Endpoint, mount } from '#http/endpoint'
import { addShortcut } from '#http/endpoint-shortcut'
import { exports } from '#http/exports'
import { withAuditedRefusals } from '#http/guards/refused-programs'
import { addViewing } from '#http/guards/viewing'
import { health, healthAlone } from '#http/health'
import { addLanguageForm } from '#http/language'
import { pageForError } from '#http/pages'
import { refuse } from '#http/refusals'
import { tasks } from '#http/tasks'
import { isMarkedAsTest } from '#platform/config'
import { createServer } from '#platform/http'
import { refuseOtherMethods } from '#platform/methods'
import { limitRoutes } from '#platform/route-limits'
import type { Observer } from '#platform/telemetry/observer'
import { account } from './account/routes.ts'
import { admin } from './admin/routes.ts'
import { checkout } from './checkout/routes.ts'
import { dashboard } from './dashboard/routes.ts'
import { docs } from './docs/routes.ts'
import { mailbox } from './emails/mailbox.ts'
import { emailWorker } from './emails/worker.ts'
import { entitlement } from './entitlement/routes.ts'
import { legal } from './legal/routes.ts'
import { licenseApi } from './license-api/routes.ts'
import { marketplace } from './marketplace/routes.ts'
import { agentEndpoint } from './mcp/routes.ts'
import { tools } from './mcp/tools.ts'
import { oidc } from './oidc/routes.ts'
import { openapi } from './openapi/routes.ts'
import { payeePages } from './payouts/routes.ts'
import { portal } from './portal/routes.ts'
import { handleEvents } from './processor-events/worker.ts'
import { publicApi } from './public-api/routes.ts'
import { publicSite } from './public-site/routes.ts'
import { sales } from './sales/routes.ts'
import { signin } from './signin/routes.ts'
import { testApi } from './test-clock/api.ts'
import { testClock } from './test-clock/routes.ts'
import { testMode } from './test-mode/routes.ts'

interface SiteOptions {
  /** The processor of test mode; undefined in live mode. */
  test_processor: TestProcessor | undefined
  server_factory: FastifyServerFactory | undefined
  /** What requests are reported to. */
  observer: Observer | undefined
}

/** Registers every route of the service on one server, and starts the email workers. */
export async function openSite(
  world: World,
  /** Registers pages of the processor, if it has any. */
  declareProcessor: (app: FastifyInstance) => void,
  { test_processor, server_factory, observer }: SiteOptions,
): Promise<FastifyInstance> {
  const { config, log, random } = world
  const app = createServer({
    log,
    random,
    secure: config.base_url.startsWith('https:'),
    trusted_proxies: config.trusted_proxies,
    answer: sendError,
    server_factory,
    drain: world.drain,
    observer,
  })
  const handlePending = () => handleEvents(world)
  refuseOtherMethods(app)
  limitRoutes(app, world.limits)
  app.register(cookies)
  decoratePages(app, world)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(async (request, reply) => {
    if (namesType(request, 'text/html')) {
      await addAccountMenu(world, request, reply)
      addLanguageForm(world, request, reply)
      await addViewing(world, request, reply)
    }
    return sendError(refuse('not_found'), request, reply)
  })

  const readKeys = openSigningKeys(world)
  const test_rows = testApi(world)
  const rows = await rowsOf(world, readKeys, test_processor ? test_rows : [])
  mount(app, rows)
  if (config.role === 'worker') healthAlone(app)
  else addShortcut(app, rows, world.limits)
  const endpoints = openapi(app, world, rows, test_rows)
  checkout(app, world)
  signin(app, world)
  oidc(app, world, readKeys)
  agentEndpoint(app, world)
  account(app, world)
  portal(app, world)
  dashboard(app, world)
  sales(app, world)
  testClock(
    app,
    world,
    test_processor && { processor: test_processor, handleEvents: handlePending },
  )
  testMode(app, world)
  payeePages(app, world)
  admin(app, world, handlePending)
  marketplace(app, world)
  legal(app, world)
  const pages = docs(app, world, { tools, endpoints })
  publicSite(app, world, pages)
  mailbox(app, world)
  tasks(app, world)
  exports(app, world)
  assets(app)
  health(app, world)
  processorPages(app, world, declareProcessor)
  emailWorker(world)
  await app.ready()
  return app
}

/** The endpoints of the API; those of test mode come last. */
async function rowsOf(
  world: World,
  readKeys: ReadSigningKeys,
  test_rows: Endpoint[],
): Promise<Endpoint[]> {
  const proven = [...licenseApi(world, readKeys), ...entitlement(world), ...test_rows]
  const audited = proven.map((row) => withAuditedRefusals(world, row))
  return [...(await publicApi(world)), ...audited]
}

/** What every page of the site needs. */
function decoratePages(app: FastifyInstance, { config, languages }: World): void {
  app.decorate('merchant', config.operator.legal_name)
  app.decorate('marked_as_test', isMarkedAsTest(config))
  app.decorate('languages', languages)
}

/** Registers pages of the processor; those of the sandbox are in the reader's language. */
function processorPages(
  app: FastifyInstance,
  world: World,
  declare: (scope: FastifyInstance) => void,
): void {
  app.register(async (scope) => {
    scope.addHook('preHandler', async (request, reply) => addLanguageForm(world, request, reply))
    declare(scope)
  })
}

/** Sends an error as a page to a browser, and as JSON to a program. */
function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return namesType(request, 'text/html')
    ? pageForError(error, request, reply)
    : answerProblem(error, request, reply)
}
