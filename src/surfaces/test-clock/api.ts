import { z } from 'zod'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import { appTime, type World } from '#flows/world'
import { type Answer, type Endpoint, endpoint } from '#http/endpoint'
import { forApps, requireApp } from '#http/guards/app-credentials'
import { clientLimit } from '#http/limit-keys'
import { refuse } from '#http/refusals'
import { runTaskNow } from '#http/tasks'
import { isoSeconds } from '#platform/calendar'
import { readId, type UserId } from '#platform/ids'
import type { ServedRequest } from '#platform/served-request'
import { findTaskOf, isUnderWay, type Task } from '#platform/tasks'
import {
  MAX_EVENTS,
  ScenarioList,
  ScenarioRun,
  ScenarioRunRequest,
  TestEvents,
  writeEvent,
  writeScenarios,
} from './api-wire.ts'
import { cursorText, eventsAfter, latestEvents, readCursor } from './event-pages.ts'
import { canBuyPrice, hasRetryChoice, scenarioOf } from './scenarios.ts'
import { findBusyClock, SCENARIO, ScenarioRequest, ScenarioResult } from './work.ts'

const LIMIT_FAULT = `\`limit\` must be a whole number from 1 to ${MAX_EVENTS}.`

/** The endpoints that exist in test mode only, called with an app's credentials. */
export function testApi(world: World): Endpoint[] {
  return [listScenarios(world), startScenario(world), readRun(world), readEvents(world)]
}

/** The app that a request authenticates as. */
async function appOf({ db }: World, request: ServedRequest): Promise<apps.App> {
  return await apps.get(db, await requireApp(db, request))
}

function listScenarios(world: World): Endpoint {
  return endpoint({
    ...forApps(world.db),
    tag: 'Test mode',
    method: 'GET',
    path: '/api/v1/test/scenarios',
    name: 'listScenarios',
    summary: 'List the test mode scenarios',
    description:
      'A scenario buys as a new buyer. Then its renewal fails, for example, or its payment is disputed.',
    limit: clientLimit('test_scenarios', 120),
    answers: { 200: { description: 'Every scenario.', schema: ScenarioList } },
    refusals: ['invalid_client', 'rate_limited'],
    async run({ request }) {
      await appOf(world, request)
      return { json: writeScenarios() }
    },
  })
}

function startScenario(world: World): Endpoint {
  return endpoint({
    ...forApps(world.db),
    tag: 'Test mode',
    method: 'POST',
    path: '/api/v1/test/scenario-runs',
    name: 'runScenario',
    summary: 'Run a test mode scenario',
    description:
      "Runs a scenario with a new buyer. It may advance the app's test clock, which affects all " +
      'subscriptions of the app in test mode and cannot be undone. A run that takes longer than ' +
      'two seconds returns 202: retrieve it again until its status is not `running`. The ' +
      "owner of the app's seller is recorded as its actor.",
    limit: clientLimit('test_runs', 20),
    body: ScenarioRunRequest,
    answers: RUN_ANSWERS,
    refusals: ['invalid_request', 'invalid_client', 'test_clock_busy', 'rate_limited'],
    async run({ body, request }) {
      const app = await appOf(world, request)
      const chosen = { retry: body.retry ?? '1' }
      const scenario = scenarioOf(body.scenario, chosen)!
      if (body.retry !== undefined && !hasRetryChoice(scenario)) {
        throw fault('retry', `The scenario ${scenario.name} takes no retry.`)
      }
      const price = await priceOf(world, app, { scenario, price_id: body.price_id })
      const retry = hasRetryChoice(scenario) ? chosen : {}
      const requested = { slug: app.slug, scenario: scenario.name, price_id: price.id, ...retry }
      const user_id = await ownerOf(world, app)
      const task = { kind: SCENARIO, user_id, app_id: app.id, request: requested } as const
      const { id, is_busy } = await runTaskNow(world, task, findBusyClock(world, app.id))
      if (is_busy) throw refuse('test_clock_busy')
      return await answerOf(world, (await findTaskOf(world.db, { id, app_id: app.id }))!)
    },
  })
}

const RUN_ANSWERS = {
  200: { description: 'The run has ended.', schema: ScenarioRun },
  202: { description: 'The run is in progress. Retrieve it again.', schema: ScenarioRun },
}

function readRun(world: World): Endpoint {
  return endpoint({
    ...forApps(world.db),
    tag: 'Test mode',
    method: 'GET',
    path: '/api/v1/test/scenario-runs/{run_id}',
    name: 'getScenarioRun',
    summary: 'Retrieve a scenario run',
    description:
      'Returns the status of the run and, once it has ended, the buyer’s license and key.',
    limit: clientLimit('test_run', 120),
    params: z.strictObject({ run_id: z.string().describe('The `id` of the run.') }),
    answers: RUN_ANSWERS,
    refusals: ['invalid_client', 'not_found', 'rate_limited'],
    async run({ params, request }) {
      const app = await appOf(world, request)
      const id = readId('task', params.run_id)
      const task = id && (await findTaskOf(world.db, { id, app_id: app.id }))
      if (!task || task.kind !== SCENARIO) throw refuse('not_found')
      return await answerOf(world, task)
    },
  })
}

function readEvents(world: World): Endpoint {
  return endpoint({
    ...forApps(world.db),
    tag: 'Test mode',
    method: 'GET',
    path: '/api/v1/test/events',
    name: 'listTestEvents',
    summary: "List an app's events in test mode",
    description:
      "The app's timeline: payments, status changes, emails, refunds, disputes, payouts. Without " +
      'a cursor, returns the latest events. With the cursor of a previous response, returns the ' +
      'events after it, each one once. An event appears a second after it happened, or later if ' +
      'an earlier change is still being written.',
    limit: clientLimit('test_events', 120),
    query: z.strictObject({
      cursor: z.string().optional().describe('From the previous response.'),
      limit: z
        .string()
        .regex(/^[1-9]\d{0,2}$/, { error: LIMIT_FAULT, abort: true })
        .refine((text) => Number(text) <= MAX_EVENTS, LIMIT_FAULT)
        .optional()
        .describe(`How many events, 1 to ${MAX_EVENTS}. Default: 50.`),
    }),
    answers: { 200: { description: 'A page of events.', schema: TestEvents } },
    refusals: ['invalid_request', 'invalid_client', 'rate_limited'],
    async run({ query, request }) {
      const app = await appOf(world, request)
      const now = appTime(world, app)
      const of = { app_id: app.id, now, limit: Number(query.limit ?? 50) }
      const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
      if (query.cursor !== undefined && !after) {
        const message = '`cursor` must be that of an earlier response.'
        throw refuse('invalid_request', { fields: [{ path: 'cursor', message }] })
      }
      const page = after ? await eventsAfter(world.db, of, after) : await latestEvents(world.db, of)
      const { events, has_more } = page
      const cursor = cursorText(page.cursor)
      return { json: { events: events.map(writeEvent), cursor, has_more, now: isoSeconds(now) } }
    },
  })
}

/** Why the checkout of an app is closed, and what opens it; undefined while it is open. */
function whyClosed(app: apps.App): string | undefined {
  if (app.is_suspended) return 'The app is suspended, so its checkout is closed.'
  if (app.archived_at) return 'The app is archived. Restore and publish it on the dashboard.'
  if (!app.is_published) return 'The app is not published. Publish it on the dashboard.'
  if (!app.is_on_sale) return 'The app is not approved. Request approval on the dashboard.'
  return undefined
}

/** The price that the buyer of a scenario buys. Throws `invalid_request`. */
async function priceOf(
  { db }: World,
  app: apps.App,
  wanted: { scenario: Parameters<typeof canBuyPrice>[0]; price_id: string | undefined },
): Promise<catalog.ProductPrice> {
  const { scenario, price_id } = wanted
  const path = 'price_id'
  const closed = whyClosed(app)
  if (closed) throw fault(path, closed)
  const prices = await catalog.livePrices(db, app.id)
  const named = price_id === undefined ? prices : prices.filter(({ id }) => id === price_id)
  if (named.length === 0) throw fault(path, 'The app has no such price for sale.')
  const price = named.find((each) => canBuyPrice(scenario, each))
  if (!price) throw fault(path, 'The scenario needs a recurring price.')
  return price
}

function fault(path: string, message: string): Error {
  return refuse('invalid_request', { fields: [{ path, message }] })
}

/** A task belongs to an account; credentials belong to none, so the owner's is used. */
async function ownerOf({ db }: World, { seller_id }: apps.App): Promise<UserId> {
  const members = await sellers.membersOf(db, seller_id)
  const owner = members.find(({ role }) => role === 'owner')
  // A copy of a seller whose owner deleted their account in live mode.
  if (!owner) throw fault('', 'The seller of the app has no owner.')
  return owner.user_id
}

/** A run as a response: 202 while it is under way. */
async function answerOf({ db, keys, clock }: World, task: Task): Promise<Answer> {
  const { scenario } = ScenarioRequest.parse(task.request)
  const none = { license_id: null, license_key: null, license_status: null, entitled: null }
  const run = { id: task.id, scenario, note: task.note, ...none }
  if (isUnderWay(clock.now(), task)) {
    return { status: 202, headers: { 'retry-after': '1' }, json: { ...run, status: 'running' } }
  }
  if (task.status !== 'done') {
    return { json: { ...run, status: 'failed', note: whyFailed(task) } }
  }
  const { license_id, outcome: status } = ScenarioResult.parse(task.result)
  const license = await licensing.getLicense(db, license_id)
  const { entitled, status: license_status } = licensing.stateOf(license)
  const license_key = licensing.showKey(keys, license)
  const license_facts = { license_id, license_key, license_status, entitled }
  // Of a completed run, the last step is no news.
  const note = status === 'completed' ? '' : task.note
  return { json: { ...run, ...license_facts, status, note } }
}

const FailedRun = z.object({ message: z.string().optional(), was_stopped: z.boolean().optional() })

/** Why a run ended before its last step; one whose process ended says nothing. */
function whyFailed({ result }: Task): string {
  const { message, was_stopped = false } = FailedRun.parse(result ?? {})
  return message ?? `The run ${was_stopped ? 'was stopped' : 'failed'}. Completed steps are kept.`
}
