import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listFailed, type ProcessorEvent, retryFailed } from '#domain/payments'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { STATUSES } from '../../src/stripe/dispute-status.ts'
import { KINDS } from '../../src/stripe/index.ts'
import { processorSteps } from '../processor/outside.ts'
import { openAlarms } from '../support/alarms.ts'
import { CONNECT_SECRET } from '../support/stripe-double.ts'
import { openStripeWorld, type StripeWorld, testModeOf } from './world.ts'

let made = 0
/** The payment that is disputed. */
const PAYMENT = { id: '' }

/** An event as Stripe words it, `seconds` from now. */
function eventOf(
  world: StripeWorld,
  type: string,
  object: object,
  facts: object = {},
  seconds = 0,
) {
  made++
  const created = Math.floor(world.clock.now().getTime() / 1000) + seconds
  const head = { id: `evt_${made}`, object: 'event', type, created, livemode: false }
  return { ...head, pending_webhooks: 1, data: { object }, ...facts }
}

const refundOf = (id: string, status: string) => ({ id, status, metadata: { key: `ref_${id}` } })

const disputeOf = (id: string, status: string) => ({
  id,
  object: 'dispute',
  amount: 1275,
  created: 1_770_000_000,
  payment_intent: PAYMENT.id,
  reason: 'fraudulent',
  status,
  evidence_details: { due_by: 1_780_000_000 },
})

const EXPECTED: Record<(typeof STATUSES)[number], string[]> = {
  warning_needs_response: ['inquiry'],
  warning_under_review: ['inquiry'],
  warning_closed: ['inquiry', 'won'],
  needs_response: ['opened'],
  under_review: ['opened'],
  prevented: [],
  won: ['opened', 'won'],
  lost: ['opened', 'lost'],
  appeal_needs_response: ['notice'],
  appeal_under_review: ['notice'],
}

describe('events of Stripe', () => {
  let world: StripeWorld
  before(async () => {
    world = await openStripeWorld()
    const charged = await processorSteps(testModeOf(world)).charged('4242424242424242')
    PAYMENT.id = charged.charge_id
  })
  after(() => world.close())

  const send = async (event: object) => {
    const body = JSON.stringify(event)
    assert.equal(await world.send(body, world.double.sign(body)), 200)
  }
  const receive = () => world.processor.events(world.clock.now())
  /** Receives all events and acknowledges them. */
  const listen = async () => {
    const events = await receive()
    for (const { id } of events) await world.processor.acknowledge(id)
    return events
  }
  /** A refund that the service asked for. */
  const ourRefund = async () => {
    const { charge_id } = await processorSteps(testModeOf(world)).charged('4242424242424242')
    const requested = { key: `ref_${++made}`, charge_id, amount: cents(100) }
    const refund = await world.processor.refund(world.clock.now(), requested)
    assert.ok(refund.status === 'succeeded')
    return refund.refund_id
  }
  const count = async () => (await world.db.rows(sql`select id from processor_events`)).length

  test('are accepted with a signature of either endpoint, and with no other', async () => {
    const event = eventOf(world, 'refund.updated', refundOf('re_1', 'succeeded'))
    const body = JSON.stringify(event)
    const { double, send } = world
    assert.equal(await send(body, double.sign(body)), 200)
    assert.equal(await send(body, double.sign(body, CONNECT_SECRET)), 200)
    const before = await count()
    const other = JSON.stringify({ ...event, id: 'evt_forged' })
    for (const signature of [
      double.sign(other, 'whsec_another'),
      double.sign(body),
      double.sign(other).replace('v1=', 'v0='),
      '',
      'nonsense',
    ]) {
      assert.equal(await send(other, signature), 400, signature)
    }
    assert.equal(await count(), before)
    await listen()
  })

  test('are valid for five minutes and no longer', async () => {
    const now = Math.floor(world.clock.now().getTime() / 1000)
    const event = eventOf(world, 'refund.updated', refundOf('re_2', 'succeeded'))
    const body = JSON.stringify(event)
    const { double } = world
    assert.equal(await world.send(body, double.sign(body, undefined, now - 301)), 400)
    assert.equal(await world.send(body, double.sign(body, undefined, now - 299)), 200)
    await listen()
  })

  test('are read as raw bytes: another type or a changed byte is refused', async () => {
    const body = JSON.stringify(eventOf(world, 'payout.paid', { id: 'po_1', status: 'paid' }))
    const signature = world.double.sign(body)
    assert.equal(await world.send(`${body} `, signature), 400)
    assert.equal(await world.send(body, signature, 'text/plain'), 415)
    assert.equal(await world.send('x'.repeat(600_000), signature), 413)
  })

  test('are stored once, however often they are delivered, and returned until acknowledged', async () => {
    const refund_id = await ourRefund()
    const event = eventOf(world, 'refund.failed', refundOf(refund_id, 'failed'))
    const before = await count()
    for (let round = 0; round < 3; round++) await send(event)
    assert.equal(await count(), before + 1)
    const received = [await receive(), await receive()]
    assert.deepEqual(received[0], received[1])
    assert.partialDeepStrictEqual(received[0], [
      { id: event.id, kind: 'refund_settled', refund_id, outcome: 'failed' },
    ])
    await listen()
    await send(event)
    assert.deepEqual(await receive(), [])
  })

  test('of irrelevant types are acknowledged and ignored', async () => {
    const before = await count()
    await send(eventOf(world, 'customer.created', { id: 'cus_1' }))
    await send(eventOf(world, 'a.kind.of.tomorrow', { id: 'x_1' }))
    await send(eventOf(world, 'refund.updated', refundOf('re_4', 'pending')))
    await send(eventOf(world, 'charge.dispute.updated', disputeOf('du_0', 'needs_response')))
    assert.equal(await count(), before)
  })

  test('of the other mode are ignored', async () => {
    const before = await count()
    const paid = { id: 'po_live', status: 'paid', metadata: { key: 'po_key:payout' } }
    await send(eventOf(world, 'payout.paid', paid, { livemode: true }))
    assert.equal(await count(), before)
  })

  test('of a dispute are returned in order, in any order of arrival', async () => {
    await send(eventOf(world, 'charge.dispute.closed', disputeOf('du_1', 'won'), {}, 60))
    await send(eventOf(world, 'charge.dispute.created', disputeOf('du_1', 'needs_response')))
    const received = await listen()
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['dispute_opened', 'dispute_closed'],
    )
    assert.partialDeepStrictEqual(received[0], { charge_id: PAYMENT.id, amount: 1275 })
  })

  test('of the end of a dispute alone imply its opening, which is not returned again', async () => {
    await send(eventOf(world, 'charge.dispute.closed', disputeOf('du_2', 'lost'), {}, 60))
    const received = await listen()
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['dispute_opened', 'dispute_closed'],
    )
    await send(eventOf(world, 'charge.dispute.created', disputeOf('du_2', 'needs_response')))
    assert.deepEqual(await listen(), [])
  })

  test('of other software on the same account are ignored', async () => {
    const { state } = world.double
    const theirs = state.add('pi', 'payment_intent', { metadata: {}, customer: 'cus_other' })
    const dispute = { ...disputeOf('du_9', 'needs_response'), payment_intent: theirs.id }
    await send(eventOf(world, 'charge.dispute.created', dispute))
    await send(eventOf(world, 'refund.updated', { id: 're_9', status: 'succeeded', metadata: {} }))
    // Of another service like this one: its refund carries a key, and that is none of ours.
    const other = state.add('re', 'refund', refundOf('re_8', 'succeeded'))
    await send(eventOf(world, 'refund.updated', other))
    await send(eventOf(world, 'refund.updated', refundOf('re_gone', 'succeeded')))
    await send(eventOf(world, 'payout.paid', { id: 'po_9', status: 'paid', metadata: {} }))
    await send(eventOf(world, 'account.updated', { id: 'acct_9', metadata: {} }))
    assert.deepEqual(await receive(), [])
    const open = await world.db.rows(sql`select id from processor_events where handled_at is null`)
    assert.deepEqual(open, [])
  })

  test('of a dispute of a charge whose answer was lost are returned', async () => {
    const { token } = await processorSteps(testModeOf(world)).enterCard('4000000000000259')
    const { requestFor } = processorSteps(testModeOf(world))
    const request = requestFor(token)
    await world.unanswered(() => world.processor.charge(world.clock.now(), request))
    await world.double.settle()
    const [opened] = await listen()
    const found = await world.processor.find(request.key)
    assert.ok(found?.status === 'succeeded')
    assert.partialDeepStrictEqual(opened, { kind: 'dispute_opened', charge_id: found.charge_id })
  })

  test('of an inquiry are marked as such, and report when it becomes a dispute', async () => {
    const inquiry = disputeOf('du_3', 'warning_needs_response')
    await send(eventOf(world, 'charge.dispute.created', inquiry))
    const [requested] = await listen()
    assert.partialDeepStrictEqual(requested, { kind: 'dispute_opened', is_inquiry: true })
    const previous_attributes = { status: 'warning_needs_response' }
    const object = disputeOf('du_3', 'needs_response')
    const data = { object, previous_attributes }
    await send(eventOf(world, 'charge.dispute.updated', object, { data }, 10))
    const [opened] = await listen()
    assert.partialDeepStrictEqual(opened, { kind: 'dispute_opened', is_inquiry: false })
    const closed = disputeOf('du_4', 'warning_closed')
    await send(eventOf(world, 'charge.dispute.closed', closed, {}, 20))
    assert.partialDeepStrictEqual((await listen()).at(-1), { outcome: 'won' })
  })

  test('of an inquiry that is lost imply that it became a dispute, once', async () => {
    const inquiry = disputeOf('du_i', 'warning_needs_response')
    await send(eventOf(world, 'charge.dispute.created', inquiry))
    assert.equal((await listen()).length, 1)
    const lost = { ...disputeOf('du_i', 'lost'), amount: 1000 }
    await send(eventOf(world, 'charge.dispute.closed', lost, {}, 20))
    const received = await listen()
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['dispute_opened', 'dispute_closed'],
    )
    assert.partialDeepStrictEqual(received[0], { is_inquiry: false, amount: 1000 })
    const previous_attributes = { status: 'warning_needs_response' }
    const data = { object: disputeOf('du_i', 'needs_response'), previous_attributes }
    await send(eventOf(world, 'charge.dispute.updated', data.object, { data }, 10))
    assert.deepEqual(await listen(), [])
  })

  // M6
  for (const status of STATUSES) {
    test(`of a dispute in the status ${status} are returned once, or change nothing`, async () => {
      const id = `du_${status}`
      await send(eventOf(world, 'charge.dispute.created', disputeOf(id, status)))
      const received = (await listen()).map((event) => {
        if (event.kind === 'dispute_opened') return event.is_inquiry ? 'inquiry' : 'opened'
        return event.kind === 'dispute_closed' ? event.outcome : event.kind
      })
      assert.deepEqual(received, EXPECTED[status])
    })
  }

  // M6
  test('of a dispute that was open and is then prevented close it as won', async () => {
    await send(eventOf(world, 'charge.dispute.created', disputeOf('du_p', 'needs_response')))
    assert.equal((await listen()).length, 1)
    await send(eventOf(world, 'charge.dispute.closed', disputeOf('du_p', 'prevented'), {}, 60))
    assert.partialDeepStrictEqual(await listen(), [{ kind: 'dispute_closed', outcome: 'won' }])
  })

  // M6
  test('of a dispute in an unknown status alert staff, with its name', async () => {
    await send(eventOf(world, 'charge.dispute.updated', disputeOf('du_t', 'arbitrated')))
    const [received] = await listen()
    assert.ok(received?.kind === 'notice')
    assert.match(
      received.message,
      /du_t over \$12\.75 has a status that is not known here: arbitrated/,
    )
  })

  test('of a decision are reported until handled, also after a notice of its appeal', async () => {
    await send(eventOf(world, 'charge.dispute.created', disputeOf('du_a', 'needs_response')))
    await listen()
    const decision = eventOf(world, 'charge.dispute.closed', disputeOf('du_a', 'lost'), {}, 60)
    const appeal = disputeOf('du_a', 'appeal_needs_response')
    const notice = eventOf(world, 'charge.dispute.updated', appeal, {}, 120)
    await send(decision)
    await send(notice)
    assert.equal((await receive()).length, 2)
    await world.processor.acknowledge(notice.id)
    assert.partialDeepStrictEqual(await receive(), [{ kind: 'dispute_closed', outcome: 'lost' }])
    await world.processor.acknowledge(decision.id)
    assert.deepEqual(await receive(), [])
  })

  test('of a failed refund are not undone by an older success', async () => {
    const refund_id = await ourRefund()
    await send(eventOf(world, 'refund.failed', refundOf(refund_id, 'failed'), {}, 60))
    assert.equal((await listen()).length, 1)
    await send(eventOf(world, 'refund.updated', refundOf(refund_id, 'succeeded')))
    assert.deepEqual(await listen(), [])
  })

  test('of several refunds in the dashboard are reported until each of them is handled', async () => {
    const { charge_id } = await processorSteps(testModeOf(world)).charged('4242424242424242')
    const ids = [100, 200].map((amount) => world.double.refundByHand(charge_id, amount))
    await send(eventOf(world, 'charge.refunded', { id: 'ch_hand', payment_intent: charge_id }))
    const refundsIn = (events: ProcessorEvent[]) =>
      events.flatMap((event) => (event.kind === 'refund_made' ? [event.refund_id] : []))
    const [first, last] = await receive()
    assert.deepEqual(refundsIn([first!, last!]).sort(), ids.sort())
    await world.processor.acknowledge(last!.id)
    // Handling the event about the first refund does not make this one old.
    const settled = eventOf(
      world,
      'refund.updated',
      { ...refundOf(refundsIn([first!])[0]!, 'succeeded') },
      {},
      60,
    )
    await send(settled)
    await world.processor.acknowledge(settled.id)
    assert.deepEqual(await receive(), [first])
    await world.processor.acknowledge(first!.id)
    assert.deepEqual(await receive(), [])
  })

  test("of an account are stored without its owner's data", async () => {
    const bank = { object: 'bank_account', bank_name: 'COAST BANK', last4: '6789' }
    const account = {
      id: 'acct_1',
      object: 'account',
      metadata: { owner: 'sel_1' },
      payouts_enabled: true,
      capabilities: { transfers: 'active' },
      individual: { last_name: 'Hale', dob: { year: 1980 } },
      external_accounts: { object: 'list', data: [bank] },
    }
    const event = eventOf(world, 'account.updated', account, { account: 'acct_1' })
    await send(event)
    const [row] = await world.db.rows(
      sql`select payload from processor_events where id = ${event.id}`,
    )
    assert.doesNotMatch(JSON.stringify(row), /Hale|1980/)
    const [received] = await listen()
    assert.partialDeepStrictEqual(received, {
      kind: 'account_changed',
      account_id: 'acct_1',
      account: { is_ready: true, bank_name: 'COAST BANK', bank_last4: '6789' },
    })
  })

  test('of a failed payout wait until the money is returned', async () => {
    const { processor, double } = world
    const owner = { owner: 'sel_1', email: 'seller@example.com' }
    const now = world.clock.now()
    const { account_id } = await processor.openAccount(now, owner)
    const return_url = 'https://purser.example/'
    const { url } = await processor.openOnboarding(now, { account_id, return_url })
    double.enterBank(url, 'fails')
    const payout = { key: 'po_key', account_id, amount: 5000 as never, description: 'PURSER' }
    await processor.payOut(now, payout)
    world.clock.pass(24 * 60 * 60)
    await double.settle()
    double.fault = 500
    const early = await listen()
    assert.ok(early.every(({ kind }) => kind !== 'payout_settled'))
    double.fault = undefined
    world.clock.pass(2)
    assert.partialDeepStrictEqual(await listen(), [{ kind: 'payout_settled', outcome: 'failed' }])
  })

  test('of a payout whose reversal is refused are retried ever later, and alert staff', async () => {
    const { processor, double, clock, db } = world
    const now = clock.now()
    const owner = { owner: 'sel_empty', email: 'seller@example.com' }
    const { account_id } = await processor.openAccount(now, owner)
    const return_url = 'https://purser.example/'
    const { url } = await processor.openOnboarding(now, { account_id, return_url })
    double.enterBank(url, 'fails')
    await listen()
    const payout = { key: 'po_empty', account_id, amount: cents(5000), description: 'PURSER' }
    await processor.payOut(now, payout)
    clock.pass(24 * 60 * 60)
    await double.settle()
    double.state.balances.set(account_id, 0)
    const reversals = () => double.requests.filter(({ path }) => path.endsWith('/reversals')).length
    const before = reversals()
    for (let seconds = 0; seconds < 3600; seconds += 2) {
      assert.ok((await listen()).every(({ kind }) => kind !== 'payout_settled'))
      clock.pass(2)
    }
    // After 2, 4, 8 … 512 seconds, and then every ten minutes.
    assert.equal(reversals() - before, 14)
    const alarms = (await openAlarms(db)).filter(({ kind }) => kind === 'processor_refused')
    assert.partialDeepStrictEqual(alarms, [{ subject: 'the reversal of a transfer', count: 14 }])
    assert.match(alarms[0]!.message, /insufficient funds for the reversal/)
    const [failed] = await listFailed(db, { limit: 10 })
    assert.partialDeepStrictEqual(failed, { kind: 'payout.failed', failures: 14 })
    assert.ok(failed!.retry_at > clock.now())
    double.state.balances.set(account_id, 5000)
    await retryFailed(db, clock.now())
    assert.partialDeepStrictEqual(await listen(), [{ kind: 'payout_settled', outcome: 'failed' }])
  })

  test('that cannot be handled do not delay later ones', async () => {
    await world.db.run(sql`insert into processor_events
        (id, processor, kind, payload, received_at)
      select 'evt_stuck_' || n, 'stripe', 'notice', '{}', ${world.clock.now()}
      from generate_series(1, 120) n`)
    world.clock.pass(1)
    const account = { id: 'acct_2', object: 'account', metadata: { owner: 'sel_2' } }
    await send(eventOf(world, 'account.updated', account, { account: 'acct_2' }))
    const received: string[] = []
    for (let tries = 0; tries < 2; tries++) {
      received.push(...(await listen()).map(({ kind }) => kind))
      world.clock.pass(5)
    }
    assert.deepEqual(received, ['account_changed'])
    await world.db.run(sql`delete from processor_events where id like 'evt_stuck_%'`)
  })

  test('have the types that the manual lists', async () => {
    const { readFileSync } = await import('node:fs')
    const manual = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    for (const kind of KINDS) assert.ok(manual.includes(`\`${kind}\``), kind)
  })
})
