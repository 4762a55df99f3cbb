import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Evidence, ProcessorRecord, ProcessorRecords } from '#domain/payments'
import { insideTransaction } from '#platform/db'
import { cents, ZERO } from '#platform/money'
import type { ProcessorSteps } from './outside.ts'

const GOOD = '4242424242424242'
const HOUR_SECONDS = 60 * 60
const KINDS = ['charges', 'refunds', 'payouts', 'disputes'] as const

const WINNING: Evidence = {
  customer_email_address: 'buyer@example.com',
  product_description: 'Harbor Pro, a month',
  service_date: '2026-03-10',
  access_activity_log: '2026-03-10 12:00 UTC: signed in',
  refund_policy_disclosure: 'Refunds within 60 days.',
  receipt: 'Order ord_1: $12.75',
  uncategorized_text: 'winning_evidence',
}

/** What the processor has on record: the other side of the books. */
export function describeRecords(world: () => ProcessorSteps): void {
  const soon = () => new Date(world().now().getTime() + 1000)

  async function listed(kind: keyof ProcessorRecords, from = new Date(0), before = soon()) {
    const all: ProcessorRecord[] = []
    for await (const each of world().processor[kind](from, before)) all.push(each)
    return all
  }

  /** The one record that is listed with an id or a key. */
  async function theOne(kind: keyof ProcessorRecords, name: string): Promise<ProcessorRecord> {
    const [found, ...more] = (await listed(kind)).filter(
      ({ id, key }) => id === name || key === name,
    )
    assert.ok(found, `${name} is not among the ${kind}`)
    assert.deepEqual(more, [])
    return found
  }

  /** The same once every event had time to arrive. */
  async function settled(kind: keyof ProcessorRecords, name: string): Promise<ProcessorRecord> {
    await world().pass(HOUR_SECONDS + 1)
    await world().listen()
    const found = await theOne(kind, name)
    assert.equal(found.is_unconfirmed, false)
    return found
  }

  const refund = async (charge_id: string, amount: number) => {
    const key = `ref_${randomUUID()}`
    const request = { key, charge_id, amount: cents(amount) }
    const answer = await world().processor.refund(world().now(), request)
    assert.ok('refund_id' in answer)
    return { key, id: answer.refund_id }
  }

  describe('a listing of charges', () => {
    test('has each successful charge once, with its key, amount and movement', async () => {
      const { token } = await world().enterCard(GOOD)
      const key = `att_${randomUUID()}`
      const answer = await world().charge(token, { key })
      assert.ok(answer.status === 'succeeded')
      const { at, ...charge } = await theOne('charges', answer.charge_id)
      const facts = { id: answer.charge_id, key, amount: 1275, moved: 1275 }
      assert.deepEqual(charge, { ...facts, is_unconfirmed: false })
      assert.ok(Math.abs(at.getTime() - world().now().getTime()) < 1000)
    })

    test('has no charge that was declined or closed, and no verification', async () => {
      const { token } = await world().enterCard(GOOD)
      const keys = { verified: `att_${randomUUID()}`, closed: `att_${randomUUID()}` }
      await world().charge(token, { key: keys.verified, amount: ZERO })
      await world().processor.close(world().now(), keys.closed)
      const { token: declined } = await world().enterCard('4000000000009995')
      const key = `att_${randomUUID()}`
      await world().charge(declined, { key })
      const found = (await listed('charges')).map((charge) => charge.key)
      for (const unlisted of [...Object.values(keys), key]) assert.ok(!found.includes(unlisted))
    })

    test('has what was created from its first instant until before its last, over several pages', async () => {
      await world().pass(HOUR_SECONDS)
      const { token } = await world().enterCard(GOOD)
      const from = world().now()
      const ids: string[] = []
      for (let made = 0; made < 103; made++) {
        const answer = await world().charge(token, { off_session: true })
        ids.push(answer.status === 'succeeded' ? answer.charge_id : answer.status)
      }
      await world().pass(1)
      const before = world().now()
      await world().charge(token)
      const found = (await listed('charges', from, before)).map(({ id }) => id)
      assert.deepEqual(found.sort(), ids.sort())
    })
  })

  describe('a listing of refunds', () => {
    test('has the amount of a requested refund, under its key', async () => {
      const { charge_id } = await world().charged(GOOD)
      const { id, key } = await refund(charge_id, 500)
      const facts = { id, key, amount: 500, moved: -500, is_unconfirmed: false }
      assert.partialDeepStrictEqual(await theOne('refunds', id), facts)
    })

    test('has no movement for a failed refund, once that was reported', async () => {
      const { charge_id } = await world().charged('4000000000005126')
      const { id } = await refund(charge_id, 1275)
      const isIt = (event: { refund_id: string; outcome: string }) =>
        event.refund_id === id && event.outcome === 'failed'
      await world().waitForEvent('refund_settled', isIt)
      assert.partialDeepStrictEqual(await settled('refunds', id), { amount: 1275, moved: 0 })
    })

    test('has a refund made at the processor, before its event arrives', async () => {
      const { charge_id } = await world().charged(GOOD)
      const id = await world().refundOutside(charge_id, 300)
      assert.equal((await theOne('refunds', id)).is_unconfirmed, true)
      await world().waitForEvent('refund_made', (event) => event.refund_id === id)
      assert.partialDeepStrictEqual(await settled('refunds', id), { amount: 300, moved: -300 })
    })
  })

  describe('a listing of payouts', () => {
    async function paidOut(kind: 'works' | 'fails') {
      const owner = `sel_${randomUUID()}`
      const { processor, now } = world()
      const { account_id } = await processor.openAccount(now(), { owner, email: 'a@example.com' })
      const return_url = 'https://purser.example/dashboard/payouts/'
      const { url } = await processor.openOnboarding(now(), { account_id, return_url })
      await world().enterBank(url, kind)
      await world().waitForEvent('account_changed', (event) => event.account_id === account_id)
      const key = `po_${randomUUID()}`
      const request = { key, account_id, amount: cents(5000), description: 'PURSER' }
      const answer = await processor.payOut(now(), request)
      assert.ok(answer.status === 'pending')
      return { key, id: answer.payout_id }
    }
    const untilEnded = (id: string) =>
      world().waitForEvent('payout_settled', (event) => event.payout_id === id)

    test('has the amount of a payout, with its key and ID', async () => {
      const { key, id } = await paidOut('works')
      const facts = { id, key, amount: 5000, moved: -5000, is_unconfirmed: false }
      assert.partialDeepStrictEqual(await theOne('payouts', key), facts)
      await untilEnded(id)
      assert.partialDeepStrictEqual(await settled('payouts', key), facts)
    })

    test('has no movement for a failed payout, once that was reported', async () => {
      const { key, id } = await paidOut('fails')
      await untilEnded(id)
      assert.partialDeepStrictEqual(await settled('payouts', key), { amount: 5000, moved: 0 })
    })
  })

  describe('a listing of disputes', () => {
    async function disputed(number: string) {
      const { charge_id } = await world().charged(number)
      const isIt = (event: { charge_id: string }) => event.charge_id === charge_id
      return await world().waitForEvent('dispute_opened', isIt)
    }

    test('has the withdrawn amount, and nothing once it was won', async () => {
      const { dispute_id } = await disputed('4000000000000259')
      const open = { id: dispute_id, amount: 1275, moved: -1275 }
      assert.partialDeepStrictEqual(await settled('disputes', dispute_id), open)
      const answer = { dispute_id, evidence: WINNING }
      await world().processor.answerDispute(world().now(), answer)
      await world().waitForEvent('dispute_closed', (event) => event.dispute_id === dispute_id)
      assert.partialDeepStrictEqual(await settled('disputes', dispute_id), { moved: 0 })
    })

    test('has an inquiry without movement', async () => {
      const { dispute_id } = await disputed('4000000000001976')
      assert.partialDeepStrictEqual(await settled('disputes', dispute_id), { moved: 0 })
    })
  })

  for (const kind of KINDS) {
    test(`a listing of ${kind} cannot be requested while a transaction is open`, async () => {
      const inside = insideTransaction(() => listed(kind))
      await assert.rejects(inside, /while a transaction is open/)
    })
  }
}
