import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cents, ZERO } from '#platform/money'
import { type ProcessorSteps, processorSteps } from '../processor/outside.ts'
import { EXTRACT, faults } from './shapes.ts'
import { openStripeWorld, type StripeWorld, testModeOf } from './world.ts'

/** What the pinned API takes that its description of 2023 does not know yet. */
const TAKEN_SINCE = ['allowed_payment_method_types', 'controller']

/** The operation of the description that a request is. */
function operationOf(method: string, route: string) {
  const wanted = `${method} ${route}`
  const found = Object.entries(EXTRACT.operations).find(([name]) => {
    return name.replaceAll(/\{\w+\}/g, '{}') === wanted
  })
  assert.ok(found, `${wanted} is not in the description`)
  return found[1]
}

describe("requests to Stripe and the double’s answers match Stripe's own description", () => {
  let world: StripeWorld
  let steps: ProcessorSteps
  before(async () => {
    world = await openStripeWorld()
    steps = processorSteps(testModeOf(world))
    await runEverything(world, steps)
  })
  after(() => world.close())

  test('every described operation was run', () => {
    const seen = new Set(world.double.requests.map(({ method, route }) => `${method} ${route}`))
    const described = Object.keys(EXTRACT.operations).map((name) =>
      name.replaceAll(/\{\w+\}/g, '{}'),
    )
    assert.deepEqual(
      described.filter((each) => !seen.has(each)),
      [],
    )
  })

  test('every parameter that we send is accepted by Stripe', () => {
    for (const { method, route, form } of world.double.requests) {
      const { takes } = operationOf(method, route)
      const strange = Object.keys(form).filter((name) => ![...takes, ...TAKEN_SINCE].includes(name))
      assert.deepEqual(strange, [], `${method} ${route}`)
    }
  })

  test('every answer has the shape that Stripe describes', () => {
    const wrong = world.double.requests.flatMap(({ method, route, status, body }) => {
      if (status === undefined) return []
      const schema = status < 400 ? operationOf(method, route).answers : { $ref: 'error' }
      return faults(schema, body, `${method} ${route}`)
    })
    assert.deepEqual([...new Set(wrong)], [])
  })

  test('every event has the shape that Stripe describes, and so does its object', () => {
    assert.ok(world.delivered.length >= 6)
    const wrong = world.delivered.flatMap((body) => {
      const event = JSON.parse(body)
      const { object } = event.data
      return [
        ...faults({ $ref: 'event' }, event, event.type),
        ...faults({ $ref: object.object }, object, event.type),
      ]
    })
    assert.deepEqual([...new Set(wrong)], [])
  })
})

/** One of everything that the adapter can ask. */
async function runEverything(world: StripeWorld, steps: ProcessorSteps): Promise<void> {
  const { processor, now } = steps
  await runCharges(world, steps)
  await runDispute(steps)
  await runPayouts(world, steps)
  const before = new Date(now().getTime() + 1000)
  for (const kind of ['charges', 'refunds', 'payouts', 'disputes', 'balanceTransactions'] as const)
    for await (const _ of processor[kind](new Date(0), before));
  const { token: card_token } = await steps.enterCard('4242424242424242')
  const return_url = 'https://purser.example/manage/'
  const visit = { app_name: 'Harbor', email: 'buyer@example.com', card_token, return_url }
  const portal = await processor.openPortal(now(), visit)
  await steps.changeCard(portal, '5555555555554444')
  await processor.readPortal(portal.id)
  await world.processor.taxes.quote(now(), { state: 'TX', zip: '78701', amount: cents(1200) })
}

async function runCharges(world: StripeWorld, steps: ProcessorSteps): Promise<void> {
  const { processor, now } = steps
  const { charge_id, card } = await steps.charged('4242424242424242')
  const refund = { key: 'ref_1', charge_id, amount: cents(100) }
  await world.unanswered(() => processor.refund(now(), refund))
  await processor.refund(now(), refund)
  await processor.refund(now(), refund)
  for (const amount of [cents(1275), ZERO]) {
    const request = steps.requestFor(card.token, { amount })
    await world.unanswered(() => processor.charge(now(), request))
    await processor.find(request.key)
    const declined = await steps.enterCard('4000000000009995')
    await steps.charge(declined.token, { amount })
    const challenged = steps.requestFor((await steps.enterCard('4000002760003184')).token, {
      amount,
    })
    await processor.charge(now(), challenged)
    await processor.find(challenged.key)
    await processor.close(now(), challenged.key)
  }
  for (const number of ['4000000000007726', '4000000000005126']) {
    const { charge_id } = await steps.charged(number)
    await processor.refund(now(), { key: `ref_${number}`, charge_id, amount: cents(1275) })
  }
}

async function runDispute({
  processor,
  charged,
  waitForEvent,
  now,
}: ProcessorSteps): Promise<void> {
  await charged('4000000000000259')
  const { dispute_id } = await waitForEvent('dispute_opened', () => true)
  const evidence = {
    customer_email_address: 'buyer@example.com',
    product_description: 'Harbor Pro, a month',
    service_date: '2026-03-10',
    access_activity_log: '2026-03-10 12:00 UTC: signed in',
    refund_policy_disclosure: 'Refunds within 60 days.',
    receipt: 'Order ord_1: $12.75',
    uncategorized_text: 'winning_evidence',
  }
  await processor.answerDispute(now(), { dispute_id, evidence })
  await waitForEvent('dispute_closed', () => true)
}

async function runPayouts(world: StripeWorld, steps: ProcessorSteps): Promise<void> {
  const { processor, now } = steps
  for (const kind of ['works', 'fails'] as const) {
    const owner = `sel_${kind}`
    const { account_id } = await processor.openAccount(now(), { owner, email: 'a@example.com' })
    const return_url = 'https://purser.example/dashboard/payouts/'
    const { url } = await processor.openOnboarding(now(), { account_id, return_url })
    await steps.enterBank(url, kind)
    await processor.readAccount(account_id)
    const payout = { key: `po_${kind}`, account_id, amount: cents(5000), description: 'PURSER' }
    // Lost first on the way of the transfer, then on that of the payout.
    await world.unanswered(() => processor.payOut(now(), payout), 'POST')
    await world.unanswered(() => processor.payOut(now(), payout), 'POST')
    await processor.payOut(now(), payout)
    await processor.payOut(now(), payout)
    await steps.waitForEvent('payout_settled', ({ outcome }) => {
      return outcome === (kind === 'works' ? 'paid' : 'failed')
    })
  }
}
