import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import { addDays, isoDate } from '#platform/calendar'
import type { UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { runScenario } from '../../src/surfaces/test-clock/run-scenario.ts'
import { RETRIES, SCENARIOS, scenarioOf } from '../../src/surfaces/test-clock/scenarios.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { historyOf } from '../support/licenses.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { stateOf, subscribe } from '../support/subscriber.ts'
import { testModeOf, timeOf } from '../support/test-clock.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

let count = 0
const newApp = (facts: Partial<Parameters<typeof addApp>[1]> = {}) =>
  addApp(service, { slug: `scenario-${count++}`, ...facts })

/** Runs a scenario on an app, and returns its buyer and what happened to the license. */
async function run(app: OtherApp, name: string, retry?: string) {
  const { world } = service
  const scenario = scenarioOf(name, retry === undefined ? {} : { retry })!
  const price = (await catalog.findLivePrice(world.db, app.price_id))!
  const { user_id } = await world.db.one<{ user_id: UserId }>(sql`select m.user_id
    from apps a join seller_members m on m.seller_id = a.seller_id where a.id = ${app.client_id}`)
  const facts = {
    scenario,
    price,
    actor: { kind: 'seller', user_id, request_id: 'req_test' } as const,
  }
  const outside = testModeOf(service)
  const ended = await runScenario(world, outside, facts, async () => {})
  const { license_id } = ended
  const license = await licensing.getLicense(world.db, license_id)
  const license_key = licensing.showKey(world.keys, license)
  const history = await historyOf(world.db, license_id)
  const events = await billing.timelineEvents(
    world.db,
    { app_id: app.client_id, license_id },
    { limit: 1000, offset: 0 },
  )
  return {
    ...ended,
    statuses: history.map(({ to_status }) => to_status),
    history,
    events: events.map(({ kind, why }) => `${kind} ${why}`),
    state: await stateOf(service, { license_key, app }),
  }
}

/** The emails to the seller, which have no order beside those to the buyer, and all else. */
function separated(events: string[]): [string[], string[]] {
  const isSellers = (each: string) => each.startsWith('email seller_')
  return [events.filter(isSellers), events.filter((each) => !isSellers(each))]
}

describe('each scenario ends as described, through the real flows', () => {
  test('renewal declined: past due, not entitled, one period later', async () => {
    const app = await newApp()
    const start = await timeOf(service, app.client_id)
    const { outcome, statuses, state, events } = await run(app, 'declined')
    assert.equal(outcome, 'completed')
    assert.deepEqual(statuses, ['active', 'past_due'])
    assert.deepEqual([state.status, state.entitled], ['past_due', false])
    assert.equal(isoDate(await timeOf(service, app.client_id)), state.period_end)
    assert.ok((await timeOf(service, app.client_id)) > addDays(start, 27))
    const [toSeller, toBuyer] = separated(events)
    assert.deepEqual(toSeller, ['email seller_sale', 'email seller_failed_renewal'])
    assert.deepEqual(toBuyer, [
      'paid purchase',
      'status purchase',
      'email receipt',
      'declined generic_decline',
      'status renewal_failed',
      'email payment_failed',
    ])
  })

  for (const { value: retry, label } of RETRIES) {
    test(`card fixed on retry ${retry}: active again with the same key (${label})`, async () => {
      const app = await newApp()
      const { outcome, statuses, state, history, events } = await run(app, 'recovered', retry)
      assert.equal(outcome, 'completed')
      assert.deepEqual(statuses, ['active', 'past_due', 'active'])
      assert.equal(state.entitled, true)
      const days = (history[2]!.at.getTime() - history[1]!.at.getTime()) / 86_400_000
      assert.equal(days, { '1': 1, '2': 3, '3': 5 }[retry])
      assert.equal(events.filter((each) => each.startsWith('declined')).length, Number(retry))
    })
  }

  test('dunning exhausted: unpaid after day 14, canceled on day 21, each retry announced', async () => {
    const { outcome, statuses, state, history, events } = await run(await newApp(), 'exhausted')
    assert.equal(outcome, 'completed')
    assert.deepEqual(statuses, ['active', 'past_due', 'unpaid', 'canceled'])
    assert.deepEqual([state.status, state.entitled], ['canceled', false])
    const failed = history[1]!.at
    assert.deepEqual(history[2]!.at, addDays(failed, 14))
    assert.deepEqual(history[3]!.at, addDays(failed, 21))
    assert.equal(events.filter((each) => each.startsWith('declined')).length, 8)
  })

  test('trial ends: a reminder three days before, then the first period is paid', async () => {
    const app = await newApp()
    const start = await timeOf(service, app.client_id)
    const { outcome, statuses, state, events } = await run(app, 'trial')
    assert.equal(outcome, 'completed')
    assert.deepEqual(statuses, ['trialing', 'active'])
    assert.equal(state.entitled, true)
    assert.deepEqual(await timeOf(service, app.client_id), addDays(start, 7))
    assert.ok(events.includes('email trial_ending'))
    // That of the trial, which has the key, and that of the first period.
    assert.equal(events.filter((each) => each === 'email receipt').length, 2)
    assert.ok(events.includes('paid renewal'))
  })

  test('runs the trial of the plan itself, as often as requested', async () => {
    const app = await newApp({ trial_days: 14 })
    for (const _ of [1, 2]) {
      const start = await timeOf(service, app.client_id)
      const { statuses } = await run(app, 'trial')
      assert.deepEqual(statuses, ['trialing', 'active'])
      assert.deepEqual(await timeOf(service, app.client_id), addDays(start, 14))
    }
  })

  test('refund: canceled at once, and the clock does not advance', async () => {
    const app = await newApp({ trial_days: 14 })
    const start = await timeOf(service, app.client_id)
    const { outcome, statuses, state } = await run(app, 'refund')
    assert.equal(outcome, 'completed')
    assert.deepEqual(statuses, ['active', 'canceled'])
    assert.equal(state.entitled, false)
    assert.deepEqual(await timeOf(service, app.client_id), start)
  })

  test('dispute won: paused, and then the same key works again', async () => {
    const { outcome, statuses, state, events } = await run(await newApp(), 'dispute_won')
    assert.equal(outcome, 'completed')
    assert.deepEqual(statuses, ['active', 'paused', 'active'])
    assert.equal(state.entitled, true)
    assert.ok(events.includes('dispute_closed won'))
  })

  test('dispute lost: paused, and then canceled', async () => {
    const { outcome, statuses, state } = await run(await newApp(), 'dispute_lost')
    assert.equal(outcome, 'completed')
    assert.deepEqual(statuses, ['active', 'paused', 'canceled'])
    assert.deepEqual([state.status, state.entitled], ['canceled', false])
  })
})

test('a scenario about money can run with a plan that is paid once', async () => {
  const app = await newApp({ frequency: null, amount: cents(9900) })
  for (const name of ['refund', 'dispute_won', 'dispute_lost']) {
    assert.equal((await run(app, name)).outcome, 'completed', name)
  }
})

test('a yearly plan and a daily one have the same scenarios', async () => {
  for (const frequency of ['year', 'day'] as const) {
    const app = await newApp({ frequency })
    assert.deepEqual((await run(app, 'declined')).statuses, ['active', 'past_due'], frequency)
    const fixed = await run(app, 'recovered', '3')
    assert.deepEqual(fixed.statuses, ['active', 'past_due', 'active'], frequency)
  }
})

test('a scenario advances time for all subscribers of its app, and for no other app', async () => {
  const [app, other] = [await newApp(), await newApp()]
  const here = await subscribe(service, { app })
  const there = await subscribe(service, { app: other })
  const [before, still] = [await stateOf(service, here), await stateOf(service, there)]
  await run(app, 'declined')
  assert.notEqual((await stateOf(service, here)).period_end, before.period_end)
  assert.deepEqual(await stateOf(service, there), still)
})

test('every scenario has a name, a title and a sentence of its own', () => {
  for (const fact of ['name', 'title', 'description'] as const) {
    assert.equal(new Set(SCENARIOS.map((scenario) => scenario[fact])).size, SCENARIOS.length)
  }
  assert.equal(scenarioOf('recovered', {}), undefined)
  assert.equal(scenarioOf('recovered', { retry: '4' }), undefined)
  assert.equal(scenarioOf('something else', {}), undefined)
})
