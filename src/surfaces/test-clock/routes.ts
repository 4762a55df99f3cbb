import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as ledger from '#domain/ledger'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { APP_PATH } from '#http/guards/seller'
import { formOf, paramsOf, requireId } from '#http/input'
import { people, redirectTo, sendPage } from '#http/pages'
import { pagingOf } from '#http/pagination'
import { refuse } from '#http/refusals'
import { startTaskNow, taskAddress } from '#http/tasks'
import { readId } from '#platform/ids'
import { findTaskOf } from '#platform/tasks'
import { readAdvance } from './advance-form.ts'
import { type ClockContext, layoutFacts, requireTestClock } from './clock-context.ts'
import { type ClockFacts, ClockPage } from './clock-page.tsx'
import type { TestMode } from './clock-work.ts'
import { nextDue, readClockFacts } from './facts.ts'
import { AdvancePage, ScenarioPage } from './result-pages.tsx'
import { canBuyPrice, scenarioOf } from './scenarios.ts'
import {
  ADVANCE,
  declareWork,
  findBusyClock,
  findRunningTask,
  SCENARIO,
  ScenarioRequest,
  ScenarioResult,
  StoredAdvance,
} from './work.ts'

const CLOCK = `${APP_PATH}/test-clock/`
const PAGE_LENGTH = 100

/**
 * The test clock of each app: advances and scenarios. In live mode `available` is undefined, and
 * the pages say that test clocks need test mode.
 */
export function testClock(
  app: FastifyInstance,
  world: World,
  available: TestMode | undefined,
): void {
  if (available) declareWork(world, available)
  people(app, world, (scope) => {
    const requireClock = requireTestClock.bind(undefined, world, available)
    scope.get(CLOCK, async (request, reply) =>
      sendClock(world, await requireClock(request, reply), { faulty: undefined, form: {} }),
    )
    declareAdvances(scope, world, requireClock)
    declareScenarios(scope, world, requireClock)
  })
}

/** Requires the test clock of the app in the path, as `requireTestClock` does. */
type RequireClock = (request: FastifyRequest, reply: FastifyReply) => Promise<ClockContext>

async function sendClock(
  world: World,
  context: ClockContext,
  sent: Pick<ClockFacts, 'faulty' | 'form'>,
) {
  const layout = layoutFacts(world, context)
  const page = ClockPage({
    ...layout,
    ...(await readClockFacts(world, context)),
    ...sent,
  })
  return sendPage(context.reply, page, { status: sent.faulty ? 422 : 200 })
}

function declareAdvances(scope: FastifyInstance, world: World, requireClock: RequireClock): void {
  scope.post(`${CLOCK}advance`, async (request, reply) => {
    const context = await requireClock(request, reply)
    const { app, now, session } = context
    const busy = await findRunningTask(world, app.id)
    if (busy) return redirectTo(reply, taskAddress(busy.id))
    const form = formOf(request)
    const [first] = await billing.subscribersOf(world.db, { app_id: app.id, limit: 1 })
    const due = await nextDue(world, context, first)
    const read = readAdvance(now, form, due?.at)
    if ('fault' in read) {
      const faulty = { id: 'date', message: read.fault }
      return await sendClock(world, context, { faulty, form })
    }
    const requested = { slug: app.slug, to: read.to.toISOString() }
    const task = { kind: ADVANCE, user_id: session.user_id, app_id: app.id, request: requested }
    return redirectTo(reply, await startTaskNow(world, task, findBusyClock(world, app.id)))
  })

  scope.get(`${CLOCK}advances/:task_id/`, async (request, reply) => {
    const context = await requireClock(request, reply)
    const { app, base } = context
    const task = await taskOf(world, context, ADVANCE)
    const result = StoredAdvance.parse(task.result)
    const [from, to] = [new Date(result.from), new Date(result.to)]
    const span = { app_id: app.id, from, to }
    const tally = await billing.tally(world.db, span)
    const total = tally.reduce((sum, { count }) => sum + count, 0)
    const paging = pagingOf(request, { total, size: PAGE_LENGTH })
    const here = `${base}advances/${task.id}/`
    const [first] = await billing.subscribersOf(world.db, { app_id: app.id, limit: 1 })
    const isStuck = result.outcome === 'stuck'
    const page = AdvancePage({
      ...layoutFacts(world, context),
      from,
      to,
      requested: new Date(result.requested),
      outcome: result.outcome,
      stuck_at: isStuck ? await nextDue(world, context, first) : undefined,
      tally,
      events: await billing.timelineEvents(world.db, span, paging),
      paging,
      hrefOf: (page) => `${here}?page=${page}`,
    })
    return sendPage(reply, page)
  })
}

function declareScenarios(scope: FastifyInstance, world: World, requireClock: RequireClock): void {
  scope.post(`${CLOCK}scenarios`, async (request, reply) => {
    const context = await requireClock(request, reply)
    const { app, session } = context
    const busy = await findRunningTask(world, app.id)
    if (busy) return redirectTo(reply, taskAddress(busy.id))
    const form = formOf(request)
    const { scenario: name = '', retry } = form
    const price_id = readId('prc', form.price_id)
    const scenario = scenarioOf(name, { retry })
    const price = app.is_on_sale && price_id && (await catalog.findLivePrice(world.db, price_id))
    if (!scenario || !price || price.app_id !== app.id) throw refuse('invalid_request')
    if (!canBuyPrice(scenario, price)) {
      const message = 'This scenario needs a plan that renews. Choose another plan.'
      const faulty = { id: 'price_id', message }
      return await sendClock(world, context, { faulty, form })
    }
    const requested = {
      slug: app.slug,
      scenario: name,
      price_id: price.id,
      ...(retry ? { retry } : {}),
    }
    const task = { kind: SCENARIO, user_id: session.user_id, app_id: app.id, request: requested }
    return redirectTo(reply, await startTaskNow(world, task, findBusyClock(world, app.id)))
  })

  scope.get(`${CLOCK}scenarios/:task_id/`, async (request, reply) => {
    const context = await requireClock(request, reply)
    const { app } = context
    const { db, keys, config } = world
    const task = await taskOf(world, context, SCENARIO)
    const requested = ScenarioRequest.parse(task.request)
    const result = ScenarioResult.parse(task.result)
    const { license_id } = result
    const license = await licensing.getLicense(db, license_id)
    const all = { limit: 1000, offset: 0 }
    const events = await billing.timelineEvents(db, { app_id: app.id, license_id }, all)
    const subjects = [...new Set(events.map(({ subject }) => subject))]
    const license_key = licensing.showKey(keys, license)
    const page = ScenarioPage({
      ...layoutFacts(world, context),
      ...scenarioOf(requested.scenario, requested)!,
      outcome: result.outcome,
      from: new Date(result.from),
      to: new Date(result.to),
      email: (await identity.getUser(db, license.user_id)).email,
      license_key,
      state: licensing.stateOf(license),
      curl: curlOf({ base_url: config.base_url, client_id: app.id, license_key }),
      events,
      entries: await ledger.entriesOf(db, subjects),
    })
    return sendPage(reply, page)
  })
}

/** The finished task of the path, if it belongs to this app. */
async function taskOf({ db }: World, { request, app }: ClockContext, kind: string) {
  const id = requireId('task', paramsOf('/:task_id', request).task_id)
  const task = await findTaskOf(db, { id, app_id: app.id })
  if (task?.kind !== kind || task.status !== 'done') throw refuse('not_found')
  return task
}

/** A curl command that calls the license key endpoint. */
function curlOf(facts: { base_url: string; client_id: string; license_key: string }): string {
  const { base_url, client_id, license_key } = facts
  const body = JSON.stringify({ key: license_key })
  return `curl -u '${client_id}:YOUR_CLIENT_SECRET' --json '${body}' ${base_url}/api/v1/licenses/validate`
}
