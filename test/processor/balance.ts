import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { BalanceTransaction } from '#domain/payments'
import { cents } from '#platform/money'
import type { ProcessorSteps } from './outside.ts'

/** The balance, and all that moves it. */
export function describeBalance(world: () => ProcessorSteps): void {
  const listed = async () => {
    const all: BalanceTransaction[] = []
    const before = new Date(world().now().getTime() + 1000)
    const { processor } = world()
    for await (const each of processor.balanceTransactions(new Date(0), before)) all.push(each)
    return all
  }

  describe('the balance', () => {
    // M5
    test('is the sum of its movements, less fees', async () => {
      await world().charged('4242424242424242')
      const { available, pending } = await world().processor.readBalance(world().now())
      const sum = (await listed()).reduce((total, { amount, fee }) => total + amount - fee, 0)
      assert.equal(available + pending, sum)
    })

    // M5
    test('changes with a charge and its fee, and with a refund, each under its name', async () => {
      const { charge_id } = await world().charged('4242424242424242')
      const request = { key: `ref_${randomUUID()}`, charge_id, amount: cents(500) }
      const refund = await world().processor.refund(world().now(), request)
      assert.ok(refund.status === 'succeeded')
      const all = await listed()
      const of = (subject: string) => all.filter((each) => each.subject === subject)
      assert.partialDeepStrictEqual(of(charge_id), [{ kind: 'charge', amount: 1275, fee: 67 }])
      const back = { kind: 'refund', amount: -500, fee: 0 }
      assert.partialDeepStrictEqual(of(refund.refund_id), [back])
    })

    // M5
    test('changes with a dispute and its fee', async () => {
      const { charge_id } = await world().charged('4000000000000259')
      const { dispute_id } = await world().waitForEvent(
        'dispute_opened',
        (event) => event.charge_id === charge_id,
      )
      const [moved] = (await listed()).filter(({ subject }) => subject === dispute_id)
      const expected = { kind: 'dispute', amount: -1275, fee: 1500, fee_kind: 'dispute' }
      assert.partialDeepStrictEqual(moved, expected)
    })
  })
}
