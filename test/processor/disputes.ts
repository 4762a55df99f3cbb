import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { DisputeClosed, type Evidence } from '#domain/payments'
import { cents } from '#platform/money'
import type { ProcessorSteps } from './outside.ts'

const FRAUDULENT = '4000000000000259'
const NOT_RECEIVED = '4000000000002685'
const INQUIRY = '4000000000001976'

const EVIDENCE: Evidence = {
  customer_email_address: 'buyer@example.com',
  product_description: 'Harbor Pro, a month',
  service_date: '2026-03-10',
  access_activity_log: '2026-03-10 12:00 UTC: the key was checked and good',
  refund_policy_disclosure: 'Refunds within 60 days.',
  receipt: 'Order ord_1: $12.75',
}
// What Stripe's test mode takes for evidence that convinces, and that does not.
const WINNING = { ...EVIDENCE, uncategorized_text: 'winning_evidence' }
const LOSING = { ...EVIDENCE, uncategorized_text: 'losing_evidence' }

/** Disputes: a buyer who goes to the bank instead of to us. */
export function describeDisputes(world: () => ProcessorSteps): void {
  async function disputed(number: string) {
    const { charge_id } = await world().charged(number)
    const opened = await world().waitForEvent(
      'dispute_opened',
      (event) => event.charge_id === charge_id,
    )
    const { dispute_id } = opened
    return {
      charge_id,
      opened,
      refund: () => {
        const request = { key: `ref_${randomUUID()}`, charge_id, amount: cents(100) }
        return world().processor.refund(world().now(), request)
      },
      answer: (evidence: Evidence) =>
        world().processor.answerDispute(world().now(), { dispute_id, evidence }),
      closed: () =>
        world().waitForEvent('dispute_closed', (event) => event.dispute_id === dispute_id),
    }
  }

  describe('a dispute', () => {
    for (const [number, reason] of [
      [FRAUDULENT, 'fraudulent'],
      [NOT_RECEIVED, 'product_not_received'],
    ] as const) {
      test(`${number}: is reported with its reason, its amount and its deadline`, async () => {
        const { opened } = await disputed(number)
        assert.partialDeepStrictEqual(opened, { reason, amount: 1275, is_inquiry: false })
        assert.ok(opened.due_at > opened.at)
      })
    }

    test('is won with good evidence, and closed', async () => {
      const { answer, closed } = await disputed(FRAUDULENT)
      await answer(WINNING)
      assert.equal((await closed()).outcome, 'won')
      await assert.rejects(answer(WINNING), DisputeClosed)
    })

    test('is lost with bad evidence, and then nothing is left to refund', async () => {
      const { answer, closed, refund } = await disputed(NOT_RECEIVED)
      await answer(LOSING)
      assert.equal((await closed()).outcome, 'lost')
      assert.equal((await refund()).status, 'refused')
      await assert.rejects(answer(WINNING), DisputeClosed)
    })

    test('uses the latest evidence', async () => {
      const { answer, closed } = await disputed(FRAUDULENT)
      await answer(EVIDENCE)
      await answer(LOSING)
      assert.equal((await closed()).outcome, 'lost')
    })

    test('refuses every refund of its charge while it is open', async () => {
      const { refund } = await disputed(FRAUDULENT)
      assert.equal((await refund()).status, 'refused')
    })
  })

  test(`${INQUIRY}: is reported as an inquiry, and closes once it was answered`, async () => {
    const { opened, answer, closed } = await disputed(INQUIRY)
    assert.equal(opened.is_inquiry, true)
    await answer(WINNING)
    assert.equal((await closed()).outcome, 'won')
  })

  test('each event is returned once, and a dispute opens before it closes', async () => {
    const { answer, closed } = await disputed(FRAUDULENT)
    await answer(WINNING)
    const { dispute_id } = await closed()
    await world().listen()
    const ids = world().received.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    const kinds = world()
      .received.filter((event) => 'dispute_id' in event && event.dispute_id === dispute_id)
      .map(({ kind }) => kind)
    assert.deepEqual(kinds, ['dispute_opened', 'dispute_closed'])
    assert.deepEqual(await world().processor.events(world().now()), [])
  })
}
