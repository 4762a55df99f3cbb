import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { KeyConflict } from '#domain/payments'
import { cents } from '#platform/money'
import type { ProcessorSteps } from './outside.ts'

const GOOD = '4242424242424242'
const PENDS = '4000000000007726'
const FAILS_LATER = '4000000000005126'

/** Refunds: money that goes back. Every charge here is of $12.75. */
export function describeRefunds(world: () => ProcessorSteps): void {
  const refund = (charge_id: string, amount = 1275, key = `ref_${randomUUID()}`) =>
    world().processor.refund(world().now(), { key, charge_id, amount: cents(amount) })

  describe('a refund', () => {
    test('returns the full charge, and then nothing more', async () => {
      const { charge_id } = await world().charged(GOOD)
      assert.equal((await refund(charge_id)).status, 'succeeded')
      const more = await refund(charge_id, 1)
      assert.ok(more.status === 'refused' && more.reason.length > 0)
    })

    test('returns parts until nothing is left, and never more than is left', async () => {
      const { charge_id } = await world().charged(GOOD)
      assert.equal((await refund(charge_id, 500)).status, 'succeeded')
      assert.equal((await refund(charge_id, 776)).status, 'refused')
      assert.equal((await refund(charge_id, 775)).status, 'succeeded')
      assert.equal((await refund(charge_id, 1)).status, 'refused')
    })

    // M13
    test('follows a fraud warning, which names the charge', async () => {
      const { charge_id } = await world().charged(GOOD)
      await world().warnOfFraud(charge_id)
      const { message } = await world().waitForEvent(
        'notice',
        (event) => event.charge_id === charge_id,
      )
      assert.match(message, /fraud/)
    })

    test('of more than the charge is refused', async () => {
      const { charge_id } = await world().charged(GOOD)
      assert.equal((await refund(charge_id, 1276)).status, 'refused')
    })

    test('requested under one key ten times concurrently is made once', async () => {
      const { charge_id } = await world().charged(GOOD)
      const key = `ref_${randomUUID()}`
      const requested = Array.from({ length: 10 }, () => refund(charge_id, 500, key))
      const answers = await Promise.all(requested)
      assert.equal(answers[0]?.status, 'succeeded')
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      assert.equal((await refund(charge_id, 775)).status, 'succeeded')
    })

    test('requested under several keys concurrently never exceeds the charge', async () => {
      const { charge_id } = await world().charged(GOOD)
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => refund(charge_id, 500)))
      const given = answers.filter(({ status }) => status === 'succeeded')
      assert.equal(given.length, 2)
    })

    test('under a key of another request is a conflict', async () => {
      const { charge_id } = await world().charged(GOOD)
      const key = `ref_${randomUUID()}`
      await refund(charge_id, 500, key)
      await assert.rejects(refund(charge_id, 501, key), KeyConflict)
      const other = await world().charged(GOOD)
      await assert.rejects(refund(other.charge_id, 500, key), KeyConflict)
    })

    // M13
    test('made at the processor is reported with its charge, and refunds of the service are not', async () => {
      const { charge_id } = await world().charged(GOOD)
      await refund(charge_id, 300)
      const refund_id = await world().refundOutside(charge_id, 500)
      const made = await world().waitForEvent(
        'refund_made',
        (event) => event.charge_id === charge_id,
      )
      assert.partialDeepStrictEqual(made, { refund_id, amount: 500, status: 'succeeded' })
      await world().listen()
      const events = world().received.filter(
        (event) => event.kind === 'refund_made' && event.charge_id === charge_id,
      )
      assert.equal(events.length, 1)
      assert.equal((await refund(charge_id, 476)).status, 'refused')
    })

    test(`${PENDS}: is pending, counts at once, and is reported when it succeeds`, async () => {
      const { charge_id } = await world().charged(PENDS)
      const answer = await refund(charge_id)
      assert.ok(answer.status === 'pending')
      assert.equal((await refund(charge_id, 1)).status, 'refused')
      const { outcome } = await world().waitForEvent(
        'refund_settled',
        ({ refund_id }) => refund_id === answer.refund_id,
      )
      assert.equal(outcome, 'succeeded')
      assert.equal((await refund(charge_id, 1)).status, 'refused')
    })

    test(`${FAILS_LATER}: fails later, which is reported, and can be made again`, async () => {
      const { charge_id } = await world().charged(FAILS_LATER)
      const answer = await refund(charge_id)
      assert.ok(answer.status === 'succeeded')
      const { outcome } = await world().waitForEvent(
        'refund_settled',
        ({ refund_id }) => refund_id === answer.refund_id,
      )
      assert.equal(outcome, 'failed')
      assert.notEqual((await refund(charge_id)).status, 'refused')
    })
  })
}
