import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { checkBooks } from '#flows/check-books'
import { reconcile } from '#flows/payment'
import { reconcileRefunds } from '#flows/refund'
import type { Alarm } from '#platform/alarms'
import type { InvoiceId, UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import { bankSandbox } from '../support/disputes.ts'
import { returnRefund } from '../support/excess.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { changePlanTo } from '../support/plan-change.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { passDays, stateOf, subscribe } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

/**
 * A buyer of the monthly plan at the bank's page for an upgrade to the plan per year, some days
 * after their purchase; `charge` is that of the purchase.
 */
async function upgrading({ days = 0 } = {}) {
  const subscriber = await subscribe(service)
  const { license_id, user_id, agent } = subscriber
  const { db } = service.world
  const { id: invoice_id } = (await billing.lastPaidInvoice(db, license_id))!
  await passDays(service, days)
  await letBank(user_id, 'challenges_always')
  const charge = (await payments.chargeOf(db, invoice_id))!
  const upgrade_price_id = service.demo.app.prices[1]!.public_id
  const { moved } = await changePlanTo(service, subscriber, upgrade_price_id)
  assert.ok(moved.outcome === 'action_required')
  const challenge = await agent.open(moved.action_url)
  const upgrade = await db.one<{ id: InvoiceId }>(sql`select id from invoices
    where license_id = ${license_id} and kind = 'upgrade'`)
  return { ...subscriber, invoice_id, charge, upgrade_id: upgrade.id, challenge }
}

async function letBank(user_id: UserId, behavior: string): Promise<void> {
  await service.world.db.run(sql`update sandbox.cards set behavior = ${behavior}
    where token in (select token from cards where user_id = ${user_id})`)
}

type Upgrading = Awaited<ReturnType<typeof upgrading>>

/** Refunds an amount, tax included, of the credited charge in the processor's own dashboard. */
async function refundOutside({ charge }: Upgrading, amount: number): Promise<string> {
  const made = { charge_id: charge.processor_charge_id, amount: cents(amount) }
  return (await bankSandbox(service).refundOutside(service.clock.now(), made))!.refund_id
}

/** Confirms the payment at the bank's page, whose answer does not reach the service yet. */
async function confirm({ challenge }: Upgrading): Promise<void> {
  await service.app.inject({
    method: 'POST',
    url: challenge.url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'result=complete',
  })
}

const upgradeOf = ({ upgrade_id }: Upgrading) => billing.getInvoice(service.world.db, upgrade_id)

async function alarmAt(invoice_id: InvoiceId): Promise<Alarm | undefined> {
  const alarms = await openAlarms(service.world.db)
  return alarms.find(({ href }) => href === `/admin/sales/${invoice_id}/`)
}

async function assertBooks(): Promise<void> {
  assert.deepEqual((await checkBooks(service.world)).differences, [])
}

describe('an upgrade that waits for its payment while its credit is refunded at the processor', () => {
  test('is canceled without a charge, and may be chosen again with the credit that is left', async () => {
    const buyer = await upgrading()
    await refundOutside(buyer, 630)
    await handleEvents(service.world)
    service.clock.pass(5)
    await reconcile(service.world)
    await confirm(buyer)
    assert.equal((await upgradeOf(buyer)).status, 'void')
    assert.equal((await stateOf(service, buyer)).status, 'active')
    assert.match((await alarmAt(buyer.invoice_id))!.message, /An upgrade .* it was canceled/)
    await letBank(buyer.user_id, 'succeeds')
    const { quote, moved } = await changePlanTo(
      service,
      buyer,
      service.demo.app.prices[1]!.public_id,
    )
    assert.equal(moved.outcome, 'paid')
    assert.ok(quote.change.when === 'now' && quote.change.credit <= 600)
    assert.deepEqual(await chargedAmounts(service, buyer.email), [1260, quote.total])
    await assertBooks()
  })

  for (const first of ['refund', 'payment'] as const) {
    test(`is kept if both happened, the ${first} reported first, and staff read what to settle`, async () => {
      const buyer = await upgrading()
      const refund_id = await refundOutside(buyer, 630)
      await confirm(buyer)
      if (first === 'refund') await handleEvents(service.world)
      service.clock.pass(5)
      await reconcile(service.world)
      await handleEvents(service.world)
      const upgrade = await upgradeOf(buyer)
      assert.equal(upgrade.status, 'paid')
      const { product_public_id } = await stateOf(service, buyer)
      assert.equal(product_public_id, upgrade.product_id)
      const alarm = await alarmAt(first === 'refund' ? buyer.upgrade_id : buyer.invoice_id)
      assert.match(alarm!.message, /\$6\.00 twice, from the seller’s balance\. Ask the seller/)
      await returnRefund(service, { ...buyer, refund_id })
      const alarms = await openAlarms(service.world.db)
      const [left, ...others] = alarms.filter(
        ({ subject }) => subject === refund_id || subject === buyer.upgrade_id,
      )
      assert.match(
        left!.message,
        /returned \$6\.30 .* consumed \$6\.00 .* before you pay the buyer/,
      )
      assert.deepEqual(others, [])
      await assertBooks()
    })
  }

  test('is canceled if everything was refunded, as the license has ended', async () => {
    const buyer = await upgrading()
    await refundOutside(buyer, 1260)
    await handleEvents(service.world)
    service.clock.pass(5)
    await reconcile(service.world)
    await confirm(buyer)
    await reconcileRefunds(service.world)
    assert.equal((await stateOf(service, buyer)).status, 'canceled')
    assert.deepEqual(await chargedAmounts(service, buyer.email), [1260])
    assert.equal(await alarmAt(buyer.upgrade_id), undefined)
    await assertBooks()
  })

  test('is refunded in full if it was paid before the license ended', async () => {
    const buyer = await upgrading()
    await refundOutside(buyer, 1260)
    await confirm(buyer)
    await handleEvents(service.world)
    service.clock.pass(5)
    await reconcile(service.world)
    await reconcileRefunds(service.world)
    assert.equal((await stateOf(service, buyer)).status, 'canceled')
    const { amount } = (await payments.chargeOf(service.world.db, buyer.upgrade_id))!
    const back = await payments.refundsOfLicense(service.world.db, buyer.license_id)
    assert.equal(payments.refundedOf(back).amount, 1260 + amount)
    await assertBooks()
  })

  test('goes on if the refund was of an earlier period', async () => {
    const buyer = await upgrading({ days: 31 })
    await refundOutside(buyer, 1260)
    await handleEvents(service.world)
    service.clock.pass(5)
    await reconcile(service.world)
    await confirm(buyer)
    await reconcile(service.world)
    assert.equal((await upgradeOf(buyer)).status, 'paid')
    assert.equal(await alarmAt(buyer.upgrade_id), undefined)
    await assertBooks()
  })
})
