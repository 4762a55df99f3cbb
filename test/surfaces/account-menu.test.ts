import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => service.close())

/** The entries of a page's menu, with the current one in brackets. */
async function menuAt(agent: Agent, address: string, label: 'Main' | 'Account' = 'Main') {
  const { body } = await agent.open(address)
  const [menu = ''] = new RegExp(`<nav aria-label="${label}".*?</nav>`, 's').exec(body) ?? []
  return [...menu.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs)].map(([, attributes = '', name = '']) =>
    attributes.includes('aria-current="page"') ? `[${textOf(name)}]` : textOf(name),
  )
}

test('the menu marks the deepest entry to which the page belongs', async () => {
  const { agent } = await signUp(service)
  assert.deepEqual(await menuAt(agent, '/account/'), [
    '[Purchases]',
    'Profile',
    'Connections',
    'Security',
  ])
  const security = await menuAt(agent, '/account/security/')
  assert.deepEqual(security, ['Purchases', 'Profile', 'Connections', '[Security]'])
  const seller = await signedIn(service, service.demo.seller)
  const entries = await menuAt(seller, '/dashboard/apps/tidepool/sales/?q=x')
  assert.deepEqual(entries.slice(0, 3), ['Purchases', '[Your apps]', 'Payouts'])
  const payouts = await menuAt(seller, '/dashboard/payouts/')
  assert.deepEqual(payouts.slice(0, 3), ['Purchases', 'Your apps', '[Payouts]'])
})

test('a person who starts to sell, or to refer, sees the entry of that page', async () => {
  const { agent } = await signUp(service)
  assert.ok((await menuAt(agent, '/dashboard/start/')).includes('[Your apps]'))
  assert.ok((await menuAt(agent, '/affiliate/')).includes('[Referrals]'))
  assert.deepEqual((await menuAt(agent, '/account/')).length, 4)
})

test('a public page shows the menu of the account without a current entry', async () => {
  const { agent } = await signUp(service)
  const entries = await menuAt(agent, '/', 'Account')
  assert.deepEqual(entries, ['Purchases', 'Profile', 'Connections', 'Security'])
})
