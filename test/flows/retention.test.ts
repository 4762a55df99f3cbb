import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { keepRetention } from '#flows/retention'
import { sql } from '#platform/sql'
import { assertInvariants } from '../support/invariants.ts'
import { buyer, enterCard, purchase, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const counts = () =>
  service.world.db.one<Record<string, number>>(sql`select
    (select count(*) from carts) as carts, (select count(*) from tax_quotes) as quotes,
    (select count(*) from attempts) as attempts, (select count(*) from orders) as orders,
    (select count(*) from invoices) as invoices, (select count(*) from licenses) as licenses,
    (select count(*) from ledger_transactions) as postings`)

// R16
test('carts, quotes and declined attempts go when their time is over, and what was sold stays', async () => {
  const { demo, clock, world } = service
  await purchase(service, buyer(service), { email: 'kept@example.com' })
  const sold = await counts()
  const leaver = buyer(service)
  await leaver.open(`/buy/${demo.app.prices[0]!.public_id}/`)
  await leaver.submit('Continue', { email: 'left@example.com', ...TEXAS })
  const declined = buyer(service)
  await declined.open(`/buy/${demo.app.prices[0]!.public_id}/`)
  await declined.submit('Continue', { email: 'declined@example.com', ...TEXAS })
  await enterCard(declined, '4000000000000341')
  await declined.submit(/^Pay /)
  const all = await counts()
  assert.deepEqual([all.carts, all.attempts], [sold.carts! + 2, sold.attempts! + 1])

  clock.pass(29 * DAY)
  await keepRetention(world)
  assert.deepEqual(await counts(), all)
  clock.pass(3 * DAY)
  await keepRetention(world)
  assert.deepEqual(await counts(), { ...all, carts: all.carts! - 1, quotes: all.quotes! - 1 })
  clock.pass(400 * DAY)
  await keepRetention(world)
  assert.deepEqual(await counts(), sold)
  await assertInvariants(service)
})
