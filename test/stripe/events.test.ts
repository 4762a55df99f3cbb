import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/sql'
import { KINDS } from '../../src/stripe/index.ts'
import { CONNECT_SECRET } from '../support/stripe-double.ts'
import { eventOf, openStripeEvents, refundOf, type StripeEvents } from './stripe-events.ts'
import type { StripeWorld } from './world.ts'

describe('events of Stripe', () => {
  let setup: StripeEvents
  let world: StripeWorld
  before(async () => {
    setup = await openStripeEvents()
    world = setup.world
  })
  after(() => world.close())

  test('are accepted with a signature of either endpoint, and with no other', async () => {
    const event = eventOf(world, 'refund.updated', refundOf('re_1', 'succeeded'))
    const body = JSON.stringify(event)
    const { double, send } = world
    assert.equal(await send(body, double.sign(body)), 200)
    assert.equal(await send(body, double.sign(body, CONNECT_SECRET)), 200)
    const before = await setup.count()
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
    assert.equal(await setup.count(), before)
    await setup.listen()
  })

  test('are valid for five minutes and no longer', async () => {
    const now = Math.floor(world.clock.now().getTime() / 1000)
    const event = eventOf(world, 'refund.updated', refundOf('re_2', 'succeeded'))
    const body = JSON.stringify(event)
    const { double } = world
    assert.equal(await world.send(body, double.sign(body, undefined, now - 301)), 400)
    assert.equal(await world.send(body, double.sign(body, undefined, now - 299)), 200)
    await setup.listen()
  })

  test('are read as raw bytes: another type or a changed byte is refused', async () => {
    const body = JSON.stringify(eventOf(world, 'payout.paid', { id: 'po_1', status: 'paid' }))
    const signature = world.double.sign(body)
    assert.equal(await world.send(`${body} `, signature), 400)
    assert.equal(await world.send(body, signature, 'text/plain'), 415)
    assert.equal(await world.send('x'.repeat(600_000), signature), 413)
  })

  test('are stored once, however often they are delivered, and returned until acknowledged', async () => {
    const refund_id = await setup.ourRefund()
    const event = eventOf(world, 'refund.failed', refundOf(refund_id, 'failed'))
    const before = await setup.count()
    for (let round = 0; round < 3; round++) await setup.send(event)
    assert.equal(await setup.count(), before + 1)
    const received = [await setup.receive(), await setup.receive()]
    assert.deepEqual(received[0], received[1])
    assert.partialDeepStrictEqual(received[0], [
      { id: event.id, kind: 'refund_settled', refund_id, outcome: 'failed' },
    ])
    await setup.listen()
    await setup.send(event)
    assert.deepEqual(await setup.receive(), [])
  })

  test('of irrelevant types are acknowledged and ignored', async () => {
    const before = await setup.count()
    await setup.send(eventOf(world, 'customer.created', { id: 'cus_1' }))
    await setup.send(eventOf(world, 'a.kind.of.tomorrow', { id: 'x_1' }))
    await setup.send(eventOf(world, 'refund.updated', refundOf('re_4', 'pending')))
    await setup.send(
      eventOf(world, 'charge.dispute.updated', setup.disputeOf('du_0', 'needs_response')),
    )
    assert.equal(await setup.count(), before)
  })

  test('of the other mode are ignored', async () => {
    const before = await setup.count()
    const paid = { id: 'po_live', status: 'paid', metadata: { key: 'po_key:payout' } }
    await setup.send(eventOf(world, 'payout.paid', paid, { livemode: true }))
    assert.equal(await setup.count(), before)
  })

  test('of other software on the same account are ignored', async () => {
    const { state } = world.double
    const theirs = state.add('pi', 'payment_intent', { metadata: {}, customer: 'cus_other' })
    const dispute = { ...setup.disputeOf('du_9', 'needs_response'), payment_intent: theirs.id }
    await setup.send(eventOf(world, 'charge.dispute.created', dispute))
    await setup.send(
      eventOf(world, 'refund.updated', { id: 're_9', status: 'succeeded', metadata: {} }),
    )
    // Of another service like this one: its refund carries a key, and that is none of ours.
    const other = state.add('re', 'refund', refundOf('re_8', 'succeeded'))
    await setup.send(eventOf(world, 'refund.updated', other))
    await setup.send(eventOf(world, 'refund.updated', refundOf('re_gone', 'succeeded')))
    await setup.send(eventOf(world, 'payout.paid', { id: 'po_9', status: 'paid', metadata: {} }))
    await setup.send(eventOf(world, 'account.updated', { id: 'acct_9', metadata: {} }))
    assert.deepEqual(await setup.receive(), [])
    const open = await world.db.rows(sql`select id from processor_events where handled_at is null`)
    assert.deepEqual(open, [])
  })

  test("of an account are stored without its owner's data", async () => {
    const bank = {
      object: 'bank_account',
      bank_name: 'COAST BANK',
      last4: '6789',
      fingerprint: 'f1',
    }
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
    await setup.send(event)
    const [row] = await world.db.rows(
      sql`select payload from processor_events where id = ${event.id}`,
    )
    assert.doesNotMatch(JSON.stringify(row), /Hale|1980/)
    const [received] = await setup.listen()
    assert.partialDeepStrictEqual(received, {
      kind: 'account_changed',
      account_id: 'acct_1',
      account: {
        is_ready: true,
        bank_name: 'COAST BANK',
        bank_last4: '6789',
        bank_fingerprint: 'f1',
      },
    })
  })

  test('that cannot be handled do not delay later ones', async () => {
    await world.db.run(sql`insert into processor_events
        (id, processor, kind, payload, received_at)
      select 'evt_stuck_' || n, 'stripe', 'notice', '{}', ${world.clock.now()}
      from generate_series(1, 120) n`)
    world.clock.pass(1)
    const account = { id: 'acct_2', object: 'account', metadata: { owner: 'sel_2' } }
    await setup.send(eventOf(world, 'account.updated', account, { account: 'acct_2' }))
    const received: string[] = []
    for (let tries = 0; tries < 2; tries++) {
      received.push(...(await setup.listen()).map(({ kind }) => kind))
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
