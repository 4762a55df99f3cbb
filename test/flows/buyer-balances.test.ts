import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import * as ledger from '#domain/ledger'
import type { UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { testId } from '../support/ids.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

/** A refund of a buyer that the card returned. */
const returned = (user_id: UserId, name: string) =>
  ledger.refundFailed({ refund_id: testId(`ref_${name}`), user_id, total: cents(100) })

test('a refund that is returned while staff settle the buyer’s balance delays them', async () => {
  const { db } = service.world
  const user_id = testId('usr_at_once')
  const now = service.clock.now()
  const posted = Promise.withResolvers<void>()
  const runs: string[] = []
  const first = db.tx(async (tx) => {
    runs.push('returned')
    await ledger.post(tx, now, testId('txn_first'), returned(user_id, 'first'))
    posted.resolve()
    // Time in which staff lock the buyer, if they can.
    await setTimeout(200)
    await ledger.lockOwner(tx, user_id)
  })
  await posted.promise
  const second = db.tx(async (tx) => {
    runs.push('settled')
    await ledger.lockOwner(tx, user_id)
    await ledger.post(tx, now, testId('txn_second'), returned(user_id, 'second'))
  })
  await Promise.all([first, second])
  assert.deepEqual(runs, ['returned', 'settled'], 'none was retried after a deadlock')
  const [buyer] = await ledger.listOwedBuyers(db, { limit: 10, offset: 0 })
  assert.deepEqual(buyer, { user_id, email: user_id, amount: 200 })
  assert.equal(await ledger.balanceOf(db, 'buyer_payable', user_id), -200)
})
