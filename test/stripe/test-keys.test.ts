import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isMarkedAsTest, readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { type Agent, textOf } from '../support/agent.ts'
import { ManualClock } from '../support/clock.ts'
import { emailTo } from '../support/mailbox.ts'
import { buyer, TEXAS } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

const STRIPE = { STRIPE_SECRET_KEY: SECRET_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET }

let double: StripeDouble
let service: TestService
before(async () => {
  const clock = new ManualClock()
  double = await StripeDouble.open(() => clock.now())
  service = await openTestService({ clock, settings: { ...STRIPE, STRIPE_API_BASE: double.url } })
  await service.world.jobs.start()
})
after(async () => {
  await service.close()
  await double.close()
})

/** How often an opened page says that it is of test mode. */
async function marksOf(agent: Agent, path: string): Promise<number> {
  const { body } = await agent.open(path)
  assert.match(body, /<title>Test mode · /, path)
  return textOf(body).match(/No real card is charged|no real card is charged/g)?.length ?? 0
}

test('with test keys alone, pages of buyers, sellers and staff say that it is test mode', async () => {
  const { demo } = service
  const agent = buyer(service)
  for (const path of ['/', '/signin/', `/buy/${demo.app.prices[0]!.public_id}/`]) {
    assert.equal(await marksOf(agent, path), 1, path)
  }
  const seller = await signedIn(service, demo.seller)
  for (const path of ['/dashboard/', '/dashboard/apps/tidepool/sales/', '/dashboard/payouts/']) {
    assert.equal(await marksOf(seller, path), 1, path)
    assert.doesNotMatch(seller.text, /Leave test mode/, path)
  }
  const staff = await signedIn(service, demo.operator)
  for (const path of ['/admin/', '/admin/sellers/']) {
    assert.equal(await marksOf(staff, path), 1, path)
  }
})

test('with test keys alone, the receipt says so too', async () => {
  const agent = buyer(service)
  const email = 'robin.marked@example.com'
  await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  const away = await agent.submit('Continue', { email, ...TEXAS })
  await agent.open(double.enterCard(away.url.split('/').at(-1)!, '4242424242424242', '78701'))
  await agent.submit(/^Pay /)
  assert.match(await emailTo(service, email, /^\[Test mode\] /), /Test mode: no real money moves\./)
})

test('the sandbox alone, and live mode beside test mode, have no such mark', () => {
  const read = (settings: Record<string, string>) =>
    isMarkedAsTest(readConfig({ NODE_ENV: 'test', ...settings }, systemRandom))
  assert.equal(read(STRIPE), true)
  assert.equal(read({}), false)
  assert.equal(read({ ...STRIPE, TEST_MODE_URL: 'http://test.localhost:4000' }), false)
})
