/** Refunds made again in the processor's dashboard, after the card had returned one. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as billing from '#domain/billing'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import { personalData } from '#flows/account'
import { owedByCharge } from '#flows/charge-balances'
import { checkBooks } from '#flows/check-books'
import { payBuyerOtherwise } from '#flows/staff-actions'
import { cents } from '#platform/money'
import { handleEvents } from '#surfaces/processor-events/worker'
import { openAlarms } from '../support/alarms.ts'
import { CARD } from '../support/cards.ts'
import { bankSandbox, owedToSeller } from '../support/disputes.ts'
import { returnRefund } from '../support/excess.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import {
  advanceAndHandleEvents,
  type Bought,
  buy,
  refund,
  refundsOf,
  staffActor,
  stateOf,
} from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { runDue } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => assertInvariantsAndClose(service))

describe('a refund that was made at the processor after one was returned', () => {
  /** A purchase of $12.60 whose refund of some cents was returned by the card. */
  async function returned(amount?: number): Promise<Bought> {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought, amount)
    await advanceAndHandleEvents(service, 2)
    return bought
  }

  /** The next purchase of a license: its renewal a month later. */
  async function renewed(bought: Bought): Promise<Bought> {
    await advanceAndHandleEvents(service, 31)
    await runDue(service)
    const { db } = service.world
    const { id: invoice_id } = (await billing.lastPaidInvoice(db, bought.license_id))!
    assert.notEqual(invoice_id, bought.invoice_id)
    return { ...bought, invoice_id, charge: (await payments.chargeOf(db, invoice_id))! }
  }

  async function refundOutside({ charge }: Bought, amount: number): Promise<string> {
    const made = { charge_id: charge.processor_charge_id, amount: cents(amount) }
    const { refund_id } = (await bankSandbox(service).refundOutside(service.clock.now(), made))!
    await handleEvents(service.world)
    await handleEvents(service.world)
    return refund_id
  }

  async function assertOwed({ user_id }: Bought, amount: number): Promise<void> {
    const balance = await ledger.balanceOf(service.world.db, 'buyer_payable', user_id)
    assert.equal(0 - balance, amount)
    assert.deepEqual((await checkBooks(service.world)).differences, [])
  }

  async function assertOnReceipt({ invoice_id }: Bought, amounts: number[]): Promise<void> {
    const receipt = (await billing.findReceipt(service.world.db, invoice_id))!
    assert.deepEqual(receipt.refunds.map(({ amount }) => amount).sort(), amounts)
    const { user_id, app_id } = receipt
    const page = { limit: 100, offset: 0 }
    const lines = await billing.receiptsOf(service.world.db, { user_id, app_id }, page)
    const total = amounts.reduce((sum, amount) => sum + amount, 0)
    assert.equal(lines.find(({ id }) => id === invoice_id)?.refunded, total)
  }

  /** What the manage page says that the buyer of a charge is owed, in cents. */
  async function owedOnPage({ user_id, invoice_id }: Bought): Promise<number> {
    const charges = await owedByCharge(service.world.db, user_id)
    return charges.find((charge) => charge.invoice_id === invoice_id)?.amount ?? 0
  }

  async function alarmOf({ invoice_id }: Bought): Promise<string> {
    const alarms = await openAlarms(service.world.db)
    return alarms.find(({ href }) => href === `/admin/sales/${invoice_id}/`)!.message
  }

  test('pays the buyer what they are owed, and takes nothing from the seller again', async () => {
    const bought = await returned(400)
    const before = await owedToSeller(service)
    await assertOnReceipt(bought, [])
    assert.equal(await owedOnPage(bought), 400)
    await refundOutside(bought, 400)
    await assertOnReceipt(bought, [400])
    assert.equal(await owedOnPage(bought), 0)
    assert.equal(await owedToSeller(service), before)
    assert.equal((await refundsOf(service, bought)).length, 1)
    assert.match(await alarmOf(bought), /\$4\.00 of it settles .* seller is not charged again\.$/)
    await assertOwed(bought, 0)
  })

  test('is on the books where the returned one was of everything', async () => {
    const bought = await returned()
    const before = await owedToSeller(service)
    await refundOutside(bought, 1260)
    assert.equal(await owedToSeller(service), before)
    await assertOwed(bought, 0)
  })

  test('is a refund of ours with what it gives beyond that, and ends the license', async () => {
    const bought = await returned(400)
    await refundOutside(bought, 1260)
    const [, rest] = await refundsOf(service, bought)
    assert.equal(rest?.amount, 860)
    await assertOnReceipt(bought, [400, 860])
    assert.equal((await stateOf(service, bought)).status, 'canceled')
    assert.match(await alarmOf(bought), /The other \$8\.60 is recorded like other refunds/)
    await assertOwed(bought, 0)
  })

  test('is borne by the service where the buyer was repaid in another way', async () => {
    const bought = await returned()
    const staff = { ...(await staffActor(service)), reason: 'A check was sent.' }
    assert.equal(await owedOnPage(bought), 1260)
    await payBuyerOtherwise(service.world, staff, { user_id: bought.user_id })
    assert.equal(await owedOnPage(bought), 0)
    await assertOnReceipt(bought, [1260])
    const before = await owedToSeller(service)
    await refundOutside(bought, 1260)
    await assertOnReceipt(bought, [1260, 1260])
    assert.equal(await owedToSeller(service), before)
    assert.match(
      await alarmOf(bought),
      /\$12\.60 of it exceeds .* Ask the buyer to return it, and record what they repay in Cases\.$/,
    )
    await assertOwed(bought, -1260)
  })

  test('is owed to the buyer if the card returned it before it was on the books', async () => {
    const bought = await returned(400)
    const made = { charge_id: bought.charge.processor_charge_id, amount: cents(1260) }
    const { refund_id } = (await bankSandbox(service).refundOutside(service.clock.now(), made))!
    const { world } = service
    const onlyReturns: Partial<payments.Processor> = {
      events: async (until) =>
        (await world.processor.events(until)).filter(({ kind }) => kind === 'refund_settled'),
    }
    const processor = Object.assign(Object.create(world.processor), onlyReturns)
    await returnRefund({ ...service, world: { ...world, processor } }, { ...bought, refund_id })
    await handleEvents(world)
    await assertOwed(bought, 1260)
  })

  /** Two charges of a license: the buyer received $3.00 of the first in excess. */
  async function excessOfFirst(): Promise<[first: Bought, second: Bought]> {
    const first = await returned(300)
    const staff = { ...(await staffActor(service)), reason: 'A check was sent.' }
    await payBuyerOtherwise(service.world, staff, first)
    const second = await renewed(first)
    await refundOutside(first, 1260)
    await assertOwed(first, -300)
    return [first, second]
  }

  test('pays what is owed of its charge, though more of another one was in excess', async () => {
    const [, second] = await excessOfFirst()
    await refund(service, second, 200)
    await advanceAndHandleEvents(service, 2)
    const before = await owedToSeller(service)
    await refundOutside(second, 200)
    assert.equal(await owedToSeller(service), before)
    await assertOnReceipt(second, [200])
    await assertOwed(second, -300)
  })

  test('is one of the sale where its charge was repaid, though another refund is owed', async () => {
    const first = await returned(300)
    const staff = { ...(await staffActor(service)), reason: 'A check was sent.' }
    await payBuyerOtherwise(service.world, staff, first)
    const second = await renewed(first)
    await refund(service, second, 400)
    await advanceAndHandleEvents(service, 2)
    await refundOutside(first, 300)
    const amounts = (await refundsOf(service, first)).map(({ amount }) => amount)
    assert.deepEqual(amounts, [300, 300])
    await assertOwed(first, 400)
  })

  test('is owed again if it is returned too', async () => {
    const bought = await returned(400)
    const refund_id = await refundOutside(bought, 1260)
    await returnRefund(service, { ...bought, refund_id })
    await assertOwed(bought, 1260)
    await refundOutside(bought, 1260)
    await assertOwed(bought, 0)
  })

  test('is on the receipt of each charge that staff pay in another way', async () => {
    const first = await returned(400)
    await refundOutside(first, 100)
    const second = await renewed(first)
    await refund(service, second, 500)
    await advanceAndHandleEvents(service, 2)
    const staff = { ...(await staffActor(service)), reason: 'A check was sent.' }
    assert.equal(await payBuyerOtherwise(service.world, staff, first), 800)
    await assertOnReceipt(first, [100, 300])
    await assertOnReceipt(second, [500])
    await assertOwed(first, 0)
    const person = { user_id: first.user_id, email_normalized: first.email }
    const { refunds_made_again: again, refunds_paid_otherwise: paid } = await personalData(
      service.world.db,
      person,
    )
    assert.deepEqual(
      again?.map(({ invoice_id, amount_in_cents }) => [invoice_id, amount_in_cents]),
      [[first.invoice_id, 100]],
    )
    assert.deepEqual(
      paid?.map(({ invoice_id, amount_in_cents }) => [invoice_id, amount_in_cents]),
      [
        [first.invoice_id, 300],
        [second.invoice_id, 500],
      ],
    )
  })
})
