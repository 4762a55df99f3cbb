import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as catalog from '#domain/catalog'
import { reconcile } from '#flows/payment'
import { changePlan, quotePlanChange, renewDue } from '#flows/subscription'
import { mintId } from '#platform/ids'
import { cents } from '#platform/money'
import type { OtherApp } from '../support/apps.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { CARD } from '../support/cards.ts'
import { openTestDatabase } from '../support/database.ts'
import { assertInvariants } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import { type CallFate, draws, loseSomeCalls, withCallFate } from '../support/network-faults.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, otherApp, runDue, stateOf, subscribe } from '../support/subscriber.ts'

let service: TestService
// A week, so that the cards are valid until the end of the file.
let app: OtherApp
let fateOf: CallFate = () => 'arrives'
before(async () => {
  const db = killableDatabase(await openTestDatabase())
  service = await openTestService({
    db,
    processor: (sandbox) => withCallFate(sandbox, () => fateOf()),
  })
  app = await otherApp(service, { frequency: 'week', amount: cents(1200) })
})
after(() => service.close())

/** A new process after a crash finds what was claimed or requested. */
async function restart(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    service.clock.pass(1800)
    await reconcile(service.world)
    await runDue(service)
  }
}

test('a process that dies at any step of a renewal charges it once', async () => {
  let finished = false
  for (let last = 1; !finished; last += KILL_STRIDE) {
    const subscriber = await subscribe(service, { app })
    service.clock.pass(7 * DAY)
    const fate = await untilKilled(last, () => renewDue(service.world))
    finished = !fate.killed
    await restart()
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260], `step ${last}`)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    await service.world.db.raw('update subscriptions set next_at = null')
  }
  await assertInvariants(service)
})

test('a process that dies at any step of a declined renewal counts one failure', async () => {
  let finished = false
  for (let last = 1; !finished; last += KILL_STRIDE) {
    const subscriber = await subscribe(service, { app, card: CARD.never_renews })
    service.clock.pass(7 * DAY)
    const fate = await untilKilled(last, () => renewDue(service.world))
    finished = !fate.killed
    await restart()
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
    await service.world.db.raw('update subscriptions set next_at = null')
  }
  await assertInvariants(service)
})

test('a process that dies at any step of an upgrade charges it once or not at all', async () => {
  const price_id = mintId(service.world.random, 'prc')
  const once = { id: price_id, product_id: app.product_id, amount: cents(18_000), frequency: null }
  await service.world.db.tx((tx) => catalog.addPrice(tx, service.clock.now(), once))
  let finished = false
  for (let last = 1; !finished; last += KILL_STRIDE) {
    const subscriber = await subscribe(service, { app })
    const { license_id, user_id } = subscriber
    const quote = (await quotePlanChange(service.world, { license_id, price_id }))!
    const requested = { license_id, agreement: quote.agreement, return_url: 'http://localhost/' }
    const actor = { kind: 'buyer', user_id, request_id: 'req_test' } as const
    const fate = await untilKilled(last, () => changePlan(service.world, actor, requested))
    finished = !fate.killed
    await restart()
    // Two charges at the same time have no order.
    const taken = (await chargedAmounts(service, subscriber.email)).sort((one, two) => one - two)
    const { status } = await stateOf(service, subscriber)
    const isMoved = status === 'one_time_active'
    assert.deepEqual(taken, isMoved ? [1260, quote.total] : [1260], `step ${last}`)
    if (finished) assert.ok(isMoved)
  }
  await assertInvariants(service)
})

test('renews every license once when requests and answers are lost', async () => {
  const draw = draws(20_261_121)
  const subscribers = []
  for (let index = 0; index < 12; index++) subscribers.push(await subscribe(service, { app }))
  service.clock.pass(7 * DAY)
  fateOf = loseSomeCalls(draw)
  for (let round = 0; round < 40; round++) {
    await renewDue(service.world)
    service.clock.pass(draw() * 20)
    await reconcile(service.world)
  }
  fateOf = () => 'arrives'
  await restart()
  for (const subscriber of subscribers) {
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
    assert.equal((await stateOf(service, subscriber)).status, 'active')
  }
  await assertInvariants(service)
})
