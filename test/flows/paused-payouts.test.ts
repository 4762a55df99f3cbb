import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { payOut, payWeekly, readPayeeBalance, reconcilePayouts } from '#flows/pay-out'
import { decideAboutSeller } from '#flows/staff-actions'
import type { SellerId } from '#platform/ids'
import { cents } from '#platform/money'
import { bankSandbox } from '../support/disputes.ts'
import { payeeOf, sell, withBank } from '../support/payees.ts'
import { staffActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400

let service: TestService
let seller_id: SellerId
before(async () => {
  service = await openTestService()
  seller_id = (await apps.get(service.world.db, service.demo.app.client_id)).seller_id
})
after(() => service.close())

async function decide(what: 'payouts_paused' | 'payouts_resumed'): Promise<void> {
  const staff = { ...(await staffActor(service)), reason: 'a reason' }
  assert.ok(await decideAboutSeller(service.world, staff, { seller_id, what }))
}

test('paused payouts begin neither on request nor weekly, and all of it is paid after they are resumed', async () => {
  const { world } = service
  const payee = await payeeOf(service, 'seller')
  await withBank(service, 'seller')
  await sell(service)
  // Paused before the balance is available, as the weekly payout would take it.
  await decide('payouts_paused')
  service.clock.pass(15 * DAY)
  const { total } = await readPayeeBalance(world, payee)
  assert.ok(total > 0)
  assert.deepEqual(await payOut(world, { ...payee, cause: 'request' }), { outcome: 'paused' })
  assert.equal(await payWeekly(world), 0)
  const seller = await signedIn(service, service.demo.seller)
  await seller.open('/dashboard/payouts/')
  const text = seller.text
  assert.match(text, /Your payouts are paused/)
  assert.match(text, /Available now \$[\d.]+ Nothing is paid out until your payouts are resumed/)
  assert.doesNotMatch(text, /minimum payout|Monday/)
  assert.throws(() => seller.form('Pay out now'))
  const [paused] = await sellers.listSellers(world.db, { state: 'paused', limit: 10 })
  assert.equal(paused?.id, seller_id)
  await decide('payouts_resumed')
  const paid = await payOut(world, { ...payee, cause: 'request' })
  assert.ok('payout_id' in paid)
  const [payout] = await payouts.listPayouts(world.db, { owner: payee.owner, limit: 1 })
  assert.equal(payout?.amount, total)
})

test('paused payouts keep a payout that waits for funds, and it is paid after they are resumed', async () => {
  const { world, clock } = service
  const payee = await payeeOf(service, 'seller')
  await withBank(service, 'seller')
  await sell(service)
  clock.pass(8 * DAY)
  const { available } = await world.processor.readBalance(clock.now())
  const move = (amount: number) => bankSandbox(service).moveFunds(clock.now(), cents(amount))
  await move(0 - available)
  const begun = await payOut(world, { ...payee, cause: 'request' })
  assert.ok(begun.outcome === 'waiting')
  const statusNow = async () => (await payouts.findPayout(world.db, begun.payout_id))?.status
  await decide('payouts_paused')
  await move(available)
  clock.pass(2 * 3600)
  await reconcilePayouts(world)
  assert.equal(await statusNow(), 'open')
  // As only so many are read at once, it must not delay the payouts of others.
  assert.deepEqual(await payouts.openPayouts(world.db, { limit: 10 }), [])
  await decide('payouts_resumed')
  await reconcilePayouts(world)
  assert.equal(await statusNow(), 'pending')
})
