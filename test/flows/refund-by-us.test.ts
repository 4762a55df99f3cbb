import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { reconcileRefunds, refundCharge } from '#flows/refund'
import type { World } from '#flows/world'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { KILL_STRIDE } from '../support/budget.ts'
import { openTestDatabase } from '../support/database.ts'
import { bankSandbox } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import { assertContains, emailTo } from '../support/mailbox.ts'
import { type CallFate, callThrough } from '../support/network-faults.ts'
import { type Bought, buy, refund, refundsOf } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'

const SELLER = 'marina@tidepool.example'

/** What the network does with the next refund. */
let fateOf: CallFate = () => 'arrives'
let service: TestService
before(async () => {
  const db = killableDatabase(await openTestDatabase())
  service = await openTestService({ db, processor: withFates })
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

function withFates(sandbox: World['processor']): World['processor'] {
  const through = callThrough(() => fateOf())
  return {
    ...sandbox,
    refund: (now, request) => through(() => sandbox.refund(now, request)),
  }
}

/** The number of emails to the seller about refunds of a purchase. */
async function emailsAbout(bought: Bought): Promise<number> {
  const ids = (await refundsOf(service, bought)).map(({ id }) => id as string)
  const { count } = await service.world.db.one<{ count: number }>(sql`
    select count(*)::int as count from emails
    where kind = 'refund_by_us' and subject_id = any(${ids})`)
  return count
}

describe('a refund that the seller did not make is emailed to the seller', () => {
  test('with sale, buyer, amounts, the reason as stated and a link to the sale', async () => {
    const bought = await buy(service)
    await refund(service, bought, 630, 'operator')
    const part = await emailTo(service, SELLER, /^We refunded a payment .* Pro: \$6\.30$/)
    assertContains(
      part,
      'Sale: Tidepool Pro',
      `Buyer: ${bought.email}`,
      'Refunded, tax included: $6.30',
      'Reason: The buyer asked for it.',
      'The license is not affected.',
      `/dashboard/apps/tidepool/sales/${bought.invoice_id}/`,
    )
    const [first] = await refundsOf(service, bought)
    const cost = first!.amount - first!.tax - first!.fee
    assertContains(part, `Deducted from your balance: $${(cost / 100).toFixed(2)}`)
    await refund(service, bought, undefined, 'operator')
    await emailTo(service, SELLER, /^We refunded a payment/)
    assert.equal(await emailsAbout(bought), 2)
  })

  test('saying that the license has ended, if the refund ended it', async () => {
    const bought = await buy(service)
    await refund(service, bought, undefined, 'operator')
    const message = await emailTo(service, SELLER, /^We refunded a payment .*: \$12\.60$/)
    assertContains(message, 'The license has ended.')
  })

  test('once, however often its request is repeated', async () => {
    const bought = await buy(service)
    fateOf = () => 'answer is lost'
    const requested = await refund(service, bought, 600, 'operator')
    assert.equal(requested.outcome, 'processing')
    assert.equal(await emailsAbout(bought), 0)
    fateOf = () => 'arrives'
    service.clock.pass(5)
    await reconcileRefunds(service.world)
    await reconcileRefunds(service.world)
    assert.equal(await emailsAbout(bought), 1)
  })

  test('once per refund of a process that is killed at any step', async () => {
    for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
      const bought = await buy(service)
      ;({ killed } = await untilKilled(last, () => refund(service, bought, undefined, 'operator')))
      service.clock.pass(5)
      await reconcileRefunds(service.world)
      const { length } = await refundsOf(service, bought)
      assert.equal(await emailsAbout(bought), length, `step ${last}`)
    }
  })

  test('once if staff made it at the payment processor', async () => {
    const bought = await buy(service)
    const made = { charge_id: bought.charge.processor_charge_id, amount: cents(315) }
    await bankSandbox(service).refundOutside(service.clock.now(), made)
    const message = await emailTo(service, SELLER, /^We refunded a payment .*: \$3\.15$/)
    assertContains(message, 'Reason: Refunded at the payment processor', 'is not affected.')
    await handleEvents(service.world)
    assert.equal(await emailsAbout(bought), 1)
  })

  test('but not one by a member of the seller or by the buyer', async () => {
    const byMember = await buy(service)
    await refund(service, byMember)
    const byBuyer = await buy(service)
    const { user_id, invoice_id } = byBuyer
    const actor = { kind: 'buyer', user_id, request_id: 'req_test' } as const
    await refundCharge(service.world, actor, { invoice_id, reason: 'Disowned' })
    for (const bought of [byMember, byBuyer]) {
      assert.equal((await refundsOf(service, bought)).length, 1)
      assert.equal(await emailsAbout(bought), 0)
    }
  })

  test('but not one that the processor refused', async () => {
    const bought = await buy(service)
    const { processor_charge_id: charge_id } = bought.charge
    await bankSandbox(service).disputeCharge(service.clock.now(), {
      charge_id,
      reason: 'fraudulent',
    })
    const { outcome } = await refund(service, bought, undefined, 'operator')
    assert.equal(outcome, 'refused_by_processor')
    assert.equal(await emailsAbout(bought), 0)
  })
})
