import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { reconcile } from '#flows/payment'
import { sql } from '#platform/sql'
import { buyer, enterCard, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

// R16
test('an attempt whose request was lost is closed at once after the clock was set back an hour', async () => {
  const { demo, clock, world } = service
  const agent = buyer(service)
  await agent.open(`/buy/${demo.app.prices[0]!.public_id}/`)
  await agent.submit('Continue', { email: 'back@example.com', ...TEXAS })
  await enterCard(agent, '4999990000000023')
  await agent.submit(/^Pay /)
  const open = sql`select status from attempts`
  assert.deepEqual(await world.db.one(open), { status: 'open' })
  clock.pass(-3600)
  await reconcile(world)
  assert.deepEqual(await world.db.one(open), { status: 'closed' })
})
