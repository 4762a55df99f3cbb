import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { reconcile } from '#flows/payment'
import type { CartId, OrderId, PriceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { CARD } from '../support/cards.ts'
import { openTestDatabase } from '../support/database.ts'
import { type ImportedBuyer, importedBuyer } from '../support/imported-buyer.ts'
import { assertInvariants } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import { type CallFate, draws, loseSomeCalls, withCallFate } from '../support/network-faults.ts'
import { buyer, chargedAmounts, enterCard, TEXAS } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { subscribe } from '../support/subscriber.ts'

let service: TestService
let trial: OtherApp
let fateOf: CallFate = () => 'arrives'
before(async () => {
  const db = killableDatabase(await openTestDatabase())
  service = await openTestService({
    db,
    processor: (sandbox) => withCallFate(sandbox, () => fateOf()),
  })
  trial = await addApp(service, { slug: 'trial', trial_days: 14 })
})
after(() => service.close())

let emails = 0
const PAY = /^Pay |^Start free trial$|^Continue with this card$/

/** The steps of a purchase; each continues from the previous page. */
function stepsOf(email: string, price_id: PriceId, card?: string) {
  return [
    (agent: Agent) => agent.open(`/buy/${price_id}/`),
    (agent: Agent) => agent.submit('Continue', { email, ...TEXAS }),
    (agent: Agent) => enterCard(agent, card),
    (agent: Agent) => agent.submit(PAY),
    ...(card === CARD.asks_always
      ? [(agent: Agent) => agent.submit('Complete authentication')]
      : []),
  ]
}

/** The steps of a buyer who continues an imported license. */
function continuingSteps({ price_id, license_id }: ImportedBuyer) {
  return [
    (agent: Agent) => agent.open(`/buy/${price_id}/?continue=${license_id}`),
    (agent: Agent) => agent.submit('Continue', TEXAS),
    (agent: Agent) => enterCard(agent),
    (agent: Agent) => agent.submit(PAY),
  ]
}

/** Takes steps until the process is killed; its last response never reaches the browser. */
async function stepUntilKilled(agent: Agent, last: number, steps: ((agent: Agent) => unknown)[]) {
  let alive = agent
  const fate = await untilKilled(last, async () => {
    for (const step of steps) {
      const tab = alive.twin()
      await step(tab)
      if (tab.page.status < 500) alive = tab
      else break
    }
  })
  return { ...fate, agent: alive }
}

/** The process is restarted, and time passes. */
async function restart(): Promise<void> {
  for (const seconds of [5, 20]) {
    service.clock.pass(seconds)
    await reconcile(service.world)
  }
}

const cartOf = (email: string) =>
  service.world.db.maybe<{
    id: CartId
    order_id: OrderId | null
  }>(sql`select id, order_id from carts
    where email_normalized = ${email} order by created_at desc limit 1`)

/** Asserts that the page after a crash is correct, and leads to one license for one charge. */
async function assertGoodEnd(
  agent: Agent,
  email: string,
  { steps, taken }: { steps: ((agent: Agent) => unknown)[]; taken: number[] },
) {
  const cart = await cartOf(email)
  const before = await chargedAmounts(service, email)
  const page = cart ? await agent.open(`/checkout/${cart.id}/processing`) : undefined
  if (page && /License key/.test(textOf(page.body))) {
    assert.deepEqual(before, taken, 'the page says paid')
    return
  }
  assert.equal(cart?.order_id ?? null, null, 'the page says nothing of an order that there is')
  assert.deepEqual(before, [], 'the page does not say paid')
  // Nothing was charged, so the buyer starts again, this time without a fault.
  for (const step of steps) await step(agent)
  assert.match(agent.text, /License key/)
  assert.deepEqual(await chargedAmounts(service, email), taken)
}

describe('a process that is killed', () => {
  for (const [what, card, app, safe, taken] of [
    ['of a purchase', undefined, 'tidepool', 0, [1260]],
    ['of a payment with 3-D Secure', CARD.asks_always, 'tidepool', 3, [1260]],
    ['of the start of a trial', undefined, 'trial', 3, [0]],
    ['of the continuation of an imported license', undefined, 'imported', 3, [0]],
  ] as const) {
    test(`at any step ${what} leaves one charge with its license, or neither`, async () => {
      const price_id = app === 'trial' ? trial.price_id : service.demo.app.prices[0]!.public_id
      for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
        if (app === 'trial') await forgetTrials()
        const email = `killed-${emails++}@example.com`
        const imported = app === 'imported' ? await importedBuyer(service, { email }) : undefined
        const agent = imported?.agent ?? buyer(service)
        const steps = imported ? continuingSteps(imported) : stepsOf(email, price_id, card)
        const again = imported ? steps : stepsOf(email, price_id)
        for (const step of steps.slice(0, safe)) await step(agent)
        const run = await stepUntilKilled(agent, last, steps.slice(safe))
        killed = run.killed
        await restart()
        await assertGoodEnd(run.agent, email, { steps: again, taken: [...taken] })
        assert.ok(killed || last > 20, `it took only ${last} steps`)
      }
      await assertInvariants(service)
    })
  }
})

/** Lets the same card have another trial. */
async function forgetTrials(): Promise<void> {
  await service.world.db.run(sql`update cards set fingerprint = id`)
}

test('a reconciliation that is killed is finished by the next one', async () => {
  const price_id = service.demo.app.prices[0]!.public_id
  for (let last = 1, finished = false; !finished; last += KILL_STRIDE) {
    const email = `twice-${emails++}@example.com`
    fateOf = () => 'answer is lost'
    const agent = buyer(service)
    for (const step of stepsOf(email, price_id)) await step(agent)
    fateOf = () => 'arrives'
    assert.equal(agent.page.status, 202)
    service.clock.pass(5)
    const fate = await untilKilled(last, () => reconcile(service.world))
    finished = !fate.killed
    await restart()
    await assertGoodEnd(agent, email, { steps: stepsOf(email, price_id), taken: [1260] })
  }
  await assertInvariants(service)
})

test('lost requests and responses neither lose nor create money', async () => {
  const draw = draws(20_261_120)
  const price_id = service.demo.app.prices[0]!.public_id
  const buyers: { agent: Agent; email: string }[] = []
  for (let index = 0; index < 30; index++) {
    const agent = buyer(service)
    const email = `lossy-${emails++}@example.com`
    buyers.push({ agent, email })
    fateOf = loseSomeCalls(draw)
    for (const step of stepsOf(email, price_id)) await step(agent)
    for (let time = 0; time < 3; time++) {
      service.clock.pass(draw() % 12)
      await agent.open(agent.page.url)
      assert.ok(agent.page.status < 500)
      await reconcile(service.world)
    }
  }
  fateOf = () => 'arrives'
  await restart()
  await assertInvariants(service)
  for (const { agent, email } of buyers)
    await assertGoodEnd(agent, email, { steps: stepsOf(email, price_id), taken: [1260] })
  await assertInvariants(service)
})

test('a key that a seller replaces is emailed, wherever the process is killed', async () => {
  const { world, clock, demo } = service
  const { license_id } = await subscribe(service)
  const seller = await signedIn(service, demo.seller)
  const path = `/dashboard/apps/${demo.app.slug}/customers/${license_id}/replace-key/`
  const found = () =>
    world.db.one<{ replaced: number; emailed: number }>(sql`select
      (select count(*) from audit_log
        where action = 'license.key_rotated' and subject = ${license_id}) as replaced,
      (select count(*) from emails where cause like 'new_key:%') as emailed`)
  for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
    clock.pass(1)
    await seller.open(path)
    const submit = () => seller.tab().submit('Replace key', { reason: 'The key leaked' })
    killed = (await untilKilled(last, submit)).killed
    const { replaced, emailed } = await found()
    assert.equal(emailed, replaced, `killed at step ${last}`)
    assert.ok(killed || replaced > 0)
  }
})
