import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { KeyConflict, ProcessorUnreachable } from '#domain/payments'
import { cents, ZERO } from '#platform/money'
import { sql } from '#platform/sql'
import { type ProcessorSteps, processorSteps } from '../processor/outside.ts'
import { openStripeWorld, type StripeWorld, testModeOf } from './world.ts'

const GOOD = '4242424242424242'
const DAY = 24 * 60 * 60
const CLOSED = { status: 'closed' }

describe("Stripe's keys", () => {
  let world: StripeWorld
  let steps: ProcessorSteps
  before(async () => {
    world = await openStripeWorld()
    steps = processorSteps(testModeOf(world))
  })
  after(() => world.close())

  const fresh = async (facts = {}) => steps.requestFor((await steps.enterCard(GOOD)).token, facts)
  const ask = (request: Awaited<ReturnType<typeof fresh>>, processor = world.processor) =>
    processor.charge(world.clock.now(), request)
  const close = (key: string) => world.processor.close(world.clock.now(), key)
  /** The payments that Stripe made for a key, with their status. */
  const paymentsOf = (key: string) =>
    world.double.state
      .all('payment_intent', ({ metadata }) => metadata.key === key)
      .map(({ status }) => status)
  const posts = (from: number) =>
    world.double.requests.slice(from).filter(({ method }) => method === 'POST')

  test('are ours with every request that writes, and never made up by the library', async () => {
    const { processor, double } = world
    const { token, last4 } = await steps.enterCard(GOOD)
    assert.equal(last4, '4242')
    const request = steps.requestFor(token)
    const charged = await ask(request)
    assert.ok(charged.status === 'succeeded')
    const refund = { key: 'ref_mine', charge_id: charged.charge_id, amount: cents(100) }
    await processor.refund(steps.now(), refund)
    const owner = { owner: 'sel_mine', email: 'seller@example.com' }
    const { account_id } = await processor.openAccount(steps.now(), owner)
    const return_url = 'https://purser.example/'
    const { url } = await processor.openOnboarding(steps.now(), { account_id, return_url })
    await steps.enterBank(url, 'works')
    const payout = { key: 'po_mine', account_id, amount: cents(5000), description: 'PURSER' }
    await processor.payOut(steps.now(), payout)
    const portal = { app_name: 'Harbor', email: 'a@example.com', card_token: token, return_url }
    await processor.openPortal(steps.now(), portal)
    await processor.taxes.quote(steps.now(), { state: 'TX', zip: '78701', amount: cents(1200) })
    const keys = posts(0).map(({ key }) => key ?? '')
    assert.equal(new Set(keys).size, keys.length)
    assert.deepEqual(
      keys.filter((key) => key === '' || key.startsWith('stripe-node')),
      [],
    )
    const ours = [request.key, 'ref_mine', 'account:sel_mine', 'po_mine', 'po_mine:payout']
    for (const key of ours) assert.ok(keys.includes(key), key)
    const [payment] = double.requests.filter(({ key }) => key === request.key)
    assert.deepEqual(payment?.form.metadata, { key: request.key })
  })

  test('an error of Stripe is reported at once; the library sends one request', async () => {
    for (const status of [500, 503, 429, 409]) {
      const request = await fresh()
      const from = world.double.requests.length
      world.double.fault = status
      await assert.rejects(ask(request), ProcessorUnreachable, `${status}`)
      world.double.fault = undefined
      assert.equal(posts(from).length, 1, `${status}`)
    }
  })

  test('a connection that was cut is tried once more under the same key, and charges once', async () => {
    const request = await fresh()
    const from = world.double.requests.length
    await world.unheard(() => ask(request))
    assert.deepEqual(
      posts(from).map(({ key }) => key),
      [request.key, request.key],
    )
    assert.deepEqual(paymentsOf(request.key), ['succeeded'])
  })

  test('looking for a lost answer only reads, and returns what happened', async () => {
    const request = await fresh()
    await world.unheard(() => ask(request))
    const from = world.double.requests.length
    assert.equal((await world.processor.find(request.key))?.status, 'succeeded')
    assert.deepEqual(posts(from), [])
  })

  test('a request that never arrived is looked for and not made by looking', async () => {
    const request = await fresh()
    world.double.fault = 'request'
    await assert.rejects(ask(request), ProcessorUnreachable)
    world.double.fault = undefined
    assert.equal(await world.processor.find(request.key), undefined)
    assert.deepEqual(paymentsOf(request.key), [])
    assert.equal((await ask(request)).status, 'succeeded')
    assert.deepEqual(paymentsOf(request.key), ['succeeded'])
  })

  test('a closed key is taken at Stripe: what is under way still is refused when it arrives', async () => {
    const request = await fresh()
    world.double.fault = 'request'
    await assert.rejects(ask(request), ProcessorUnreachable)
    world.double.fault = undefined
    const late = world.double.requests.at(-1)!
    assert.deepEqual(await close(request.key), CLOSED)
    assert.deepEqual(paymentsOf(request.key), ['canceled'])
    const arrived = await fetch(`${world.double.url}${late.path}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk_test_double',
        'idempotency-key': request.key,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `amount=1275&currency=usd&confirm=true&customer=${late.form.customer}`,
    })
    const { error } = (await arrived.json()) as { error: { type: string } }
    assert.deepEqual([arrived.status, error.type], [400, 'idempotency_error'])
    assert.deepEqual(await world.processor.find(request.key), CLOSED)
  })

  test('closing finds what was charged unheard', async () => {
    const request = await fresh()
    await world.unheard(() => ask(request))
    assert.equal((await close(request.key)).status, 'succeeded')
  })

  test('closing a request that Stripe failed at for good closes it', async () => {
    const request = await fresh()
    world.double.fault = 500
    await assert.rejects(ask(request), ProcessorUnreachable)
    world.double.fault = undefined
    assert.deepEqual(await close(request.key), CLOSED)
    assert.deepEqual(await ask(request), CLOSED)
    assert.deepEqual(paymentsOf(request.key), [])
  })

  test('are remembered for longer than Stripe keeps them: nothing is charged or refunded twice', async () => {
    const request = await fresh()
    await world.unheard(() => ask(request))
    world.clock.pass(3 * DAY)
    const answer = await ask(request)
    assert.ok(answer.status === 'succeeded')
    assert.deepEqual(paymentsOf(request.key), ['succeeded'])

    const refund = { key: 'ref_later', charge_id: answer.charge_id, amount: cents(500) }
    const requested = () => world.processor.refund(world.clock.now(), refund)
    await world.unheard(requested)
    world.clock.pass(3 * DAY)
    assert.equal((await requested()).status, 'succeeded')
    const made = world.double.state.all('refund', ({ metadata }) => metadata.key === refund.key)
    assert.equal(made.length, 1)
  })

  test('two processes with one key charge once', async () => {
    const request = await fresh()
    const other = world.reopen()
    const requested = [ask(request), ask(request, other), ask(request), ask(request, other)]
    const answers = await Promise.allSettled(requested)
    assert.deepEqual(paymentsOf(request.key), ['succeeded'])
    for (const answer of answers) {
      if (answer.status === 'fulfilled') assert.equal(answer.value.status, 'succeeded')
      else assert.ok(answer.reason instanceof ProcessorUnreachable)
    }
  })

  test('two processes that charge and close have one end', async () => {
    const other = world.reopen()
    for (let round = 0; round < 10; round++) {
      const request = await fresh({ amount: round % 2 ? cents(1275) : ZERO })
      await Promise.allSettled([ask(request), other.close(world.clock.now(), request.key)])
      const end = await close(request.key)
      assert.deepEqual(await ask(request, other), end)
      const isPaid = paymentsOf(request.key).includes('succeeded')
      assert.equal(end.status === 'succeeded' && request.amount > 0, isPaid)
    }
  })

  test('of a refused payout return the money before it is reported', async () => {
    const { processor, double } = world
    const owner = { owner: 'sel_poor', email: 'seller@example.com' }
    const { account_id } = await processor.openAccount(steps.now(), owner)
    const { url } = await processor.openOnboarding(steps.now(), {
      account_id,
      return_url: 'https://purser.example/',
    })
    await steps.enterBank(url, 'fails')
    const before = double.state.available
    const payout = { key: 'po_poor', account_id, amount: cents(5000), description: 'PURSER' }
    const answer = await processor.payOut(steps.now(), payout)
    assert.equal(answer.status, 'pending')
    assert.equal(double.state.available, before - 5000)
    const failed = await steps.waitForEvent('payout_settled', ({ outcome }) => outcome === 'failed')
    assert.equal(failed.reason, 'The bank account has been closed.')
    assert.equal(double.state.available, before)
    assert.equal((await processor.payOut(steps.now(), payout)).status, 'failed')
    assert.equal(double.state.available, before)
  })

  test('a payout that our balance does not cover is short, and asks for no transfer', async () => {
    const { processor, double } = world
    const { account_id } = await processor.openAccount(steps.now(), {
      owner: 'sel_mine',
      email: 'seller@example.com',
    })
    const amount = cents(double.state.available + 1)
    const payout = { key: 'po_large', account_id, amount, description: 'PURSER' }
    const answer = await processor.payOut(steps.now(), payout)
    assert.equal(answer.status, 'short')
    assert.deepEqual(
      double.requests.filter(({ key }) => key === 'po_large'),
      [],
    )
  })

  test('a card that another processor kept, or that is gone, wants another card', async () => {
    const declined = { status: 'declined', decline_code: 'lost_card' }
    assert.deepEqual(await ask(steps.requestFor('card_0123456789012345678901')), declined)
    const request = await fresh()
    const [, method] = request.card_token.split('/')
    world.double.state.things.get(method!)!.customer = null
    assert.deepEqual(await ask(request), declined)
  })

  test('neither the log nor a table contains a card number or an API key', async () => {
    const rows = await world.db.rows(sql`select * from stripe_adapter.requests`)
    const all = JSON.stringify(rows) + world.lines.join()
    assert.doesNotMatch(all, /4242424242424242|sk_test_double|whsec_/)
  })

  test('a charge is no refund: one key says one thing', async () => {
    const request = await fresh()
    const answer = await ask(request)
    assert.ok(answer.status === 'succeeded')
    const refund = { key: request.key, charge_id: answer.charge_id, amount: cents(100) }
    await assert.rejects(world.processor.refund(world.clock.now(), refund), KeyConflict)
  })
})
