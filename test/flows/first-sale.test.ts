import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import type { AppId } from '#platform/ids'
import { sql } from '#platform/sql'
import { newEmail, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { buyer, enterCard, licenseKey, TEXAS } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DETAILS = {
  legal_name: 'Harbor Lights LLC',
  address: '1 Main Street',
  city: 'Austin',
  state: 'tx',
  zip: '78701-1234',
}

let service: TestService
before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => assertInvariantsAndClose(service))

/** A new account that became a seller. */
async function newSeller(): Promise<{ email: string; agent: Agent }> {
  const owner = await signUp(service)
  await owner.agent.open('/dashboard/start/')
  await owner.agent.submit('Save', DETAILS)
  return owner
}

/** Creates an app with a monthly plan, and returns its address in the dashboard. */
async function newApp(agent: Agent, name: string): Promise<string> {
  await agent.open('/dashboard/apps/new/')
  await agent.submit('Create app', { name, url: `${name.toLowerCase()}.example` })
  const base = agent.page.url.replace(/\?.*/, '')
  await agent.open(`${base}plans/`)
  await agent.submit('Save', { 'versions.0.name': 'Pro', 'versions.0.prices.0.amount': '12' })
  return base
}

async function appAt(base: string): Promise<apps.App> {
  const slug = base.split('/').at(-2)!
  const { id } = await service.world.db.one<{ id: AppId }>(
    sql`select id from apps where slug = ${slug}`,
  )
  return await apps.get(service.world.db, id)
}

/** The buy link of an app's only price. */
async function buyLink(base: string): Promise<string> {
  const [price] = await catalog.livePrices(service.world.db, (await appAt(base)).id)
  return `/buy/${price!.id}/`
}

// Guards F50
test('a new account sells its own app, from an empty start to a sale', async () => {
  const { agent, email } = await newSeller()
  assert.equal(agent.page.url, '/dashboard/apps/new/')
  const base = await newApp(agent, 'Lantern')
  await agent.open(base)
  assert.match(agent.text, /Set up your app 1 of 7/)
  const [main, ...others] = agent.page.body.matchAll(/<[^>]* btn-primary [^>]*>([^<]+)</g)
  assert.deepEqual([main?.[1]?.trim(), others.length], ['Create secret', 0])
  await agent.submit('Request approval')
  await agent.submit('Publish')
  const link = await buyLink(base)
  assert.equal((await buyer(service).open(link)).status, 404)

  const staff = await signedIn(service, service.demo.operator)
  assert.match(textOf((await staff.open('/admin/')).body), /1 app to approve/)
  await staff.press('1 app to approve')
  assert.match(staff.text, /Seller Harbor Lights LLC, Austin, Texas/)
  await staff.submit('Approve', { decision: 'approve' })
  assert.match(await emailTo(service, email, /^Lantern is approved$/), /Its Buy links work now/)

  const person = buyer(service)
  await person.open(link)
  await person.submit('Continue', { ...TEXAS, email: newEmail() })
  await enterCard(person)
  await person.submit(/^Pay /)
  assert.ok(licenseKey(person.page))
  await agent.open(`${base}sales/`)
  assert.match(agent.text, /\$12\.00/)
})

describe('an app', () => {
  test('needs a plan before it is published or approved', async () => {
    const { agent } = await newSeller()
    await agent.submit('Create app', { name: 'Empty', url: 'https://empty.example' })
    for (const button of ['Publish', 'Request approval']) {
      await agent.submit(button)
      assert.match(agent.text, /Add a plan first\./)
    }
    const app = await appAt(agent.page.url.replace(/\?.*/, ''))
    assert.deepEqual([app.is_published, app.external_sales_enabled], [false, false])
  })

  test('gets a free slug, and a name once per seller', async () => {
    const { agent } = await newSeller()
    await agent.submit('Create app', { name: 'Tidepool', url: 'https://tidepool.test.example' })
    assert.equal(agent.page.url, '/dashboard/apps/tidepool-2/?done=created')
    await agent.open('/dashboard/apps/new/')
    await agent.submit('Create app', { name: 'tidepool', url: 'https://tidepool.test.example' })
    assert.equal(agent.page.status, 422)
    assert.match(agent.text, /You already have an app with this name\./)
  })

  test('is refused with a reason that its seller sees, and may be requested again', async () => {
    const { agent, email } = await newSeller()
    const base = await newApp(agent, 'Foghorn')
    await agent.open(base)
    await agent.submit('Request approval')
    const staff = await signedIn(service, service.demo.operator)
    await staff.open('/admin/approvals/')
    await staff.submit('Refuse', { decision: 'refuse' })
    assert.equal(staff.page.status, 422)
    const long = 'x'.repeat(501)
    await staff.submit('Refuse', { decision: 'refuse', reason: long })
    assert.match(staff.text, /Use at most 500 characters\. This text has 501/)
    assert.equal(staff.form('Refuse').reason, long)
    await staff.submit('Refuse', { decision: 'refuse', reason: 'The website is empty.' })
    const message = await emailTo(service, email, /^Foghorn is not approved$/)
    assert.match(message, /The website is empty\./)
    await agent.open(base)
    assert.match(agent.text, /Reason: The website is empty\./)
    await agent.submit('Request approval')
    assert.match(agent.text, /Approval requested/)
    await staff.open('/admin/approvals/')
    assert.match(staff.text, /Foghorn .*Refused before \w+ \d+, \d{4} The website is empty\./)
    service.clock.pass(60)
    await staff.submit('Refuse', { decision: 'refuse', reason: 'The plan has no name.' })
    await agent.open(base)
    await agent.submit('Request approval')
    await staff.open('/admin/approvals/')
    assert.match(staff.text, /Refused before \w+ \d+, \d{4} The plan has no name\./)
    assert.doesNotMatch(staff.text, /The website is empty/)
  })

  test('has a client without a secret until the seller creates one', async () => {
    const { agent } = await newSeller()
    const base = await newApp(agent, 'Keyless')
    const { id } = await appAt(base)
    const { secret_hash } = await apps.getClientOf(service.world.db, id)
    assert.equal(secret_hash, null)
    await agent.open(`${base}integration/secret/`)
    await agent.submit('Create secret')
    assert.match(agent.text, /It is not shown again/)
    assert.ok((await apps.getClientOf(service.world.db, id)).secret_hash)
  })

  test('that moves to another domain loses the URLs on the former one', async () => {
    const { agent } = await newSeller()
    const base = await newApp(agent, 'Mover')
    await agent.open(`${base}integration/`)
    await agent.submit('Save', {
      oauth_login_url: 'https://mover.example/login',
      redirect_uris: 'https://mover.example/callback\nhttp://localhost:3000/callback',
    })
    await agent.open(`${base}settings/`)
    await agent.submit('Save', { name: 'Mover', url: 'https://moved.example' })
    assert.match(agent.text, /URLs on the previous website were removed/)
    const app = await appAt(base)
    assert.equal(app.oauth_login_url, 'https://moved.example')
    const { redirect_uris } = await apps.getClientOf(service.world.db, app.id)
    assert.deepEqual(redirect_uris, ['http://localhost:3000/callback'])
  })

  test('that is archived is not for sale and not listed, and can be restored', async () => {
    const { agent } = await newSeller()
    const base = await newApp(agent, 'Relic')
    await agent.open(base)
    await agent.submit('Publish')
    await agent.open(`${base}settings/`)
    await agent.submit('Archive app')
    const archived = await appAt(base)
    assert.equal(archived.is_published, false)
    assert.doesNotMatch(textOf((await agent.open('/dashboard/')).body), /Relic relic\.example/)
    await agent.open(`${base}settings/`)
    await agent.submit('Restore app')
    assert.equal((await appAt(base)).archived_at, null)
    assert.match(textOf((await agent.open('/dashboard/')).body), /Relic relic\.example/)
  })
})

describe('a seller’s details', () => {
  test('are refused field by field, and kept in the form', async () => {
    const { agent } = await signUp(service)
    await agent.open('/dashboard/start/')
    await agent.submit('Save', { ...DETAILS, city: ' ', state: 'Ontario', zip: '78701' })
    assert.equal(agent.page.status, 422)
    const text = agent.text
    assert.match(text, /Enter the city\./)
    assert.match(text, /Enter a US state, such as OR\./)
    assert.ok(agent.page.body.includes('Harbor Lights LLC'))
    await agent.submit('Save', { ...DETAILS, state: 'Oregon' })
    assert.match(agent.text, /ZIP code 78701 is in Texas/)
    await agent.submit('Save', { ...DETAILS, state: 'Texas' })
    assert.equal(agent.page.url, '/dashboard/apps/new/')
  })

  test('are entered once: the form sent twice makes one seller', async () => {
    const { agent, email } = await signUp(service)
    await agent.open('/dashboard/start/')
    const tabs = [agent.tab(), agent.tab(), agent.tab()]
    await Promise.all(tabs.map((tab) => tab.submit('Save', DETAILS)))
    const found = await service.world.db.one<{ count: number }>(sql`select count(*) as count
      from seller_members m join users u on u.id = m.user_id where u.email = ${email}`)
    assert.equal(found.count, 1)
  })
})

// Guards F54
test('the product page recommends the plan that the seller highlights, and no other', async () => {
  const { agent } = await newSeller()
  const base = await newApp(agent, 'Choice')
  await agent.open(`${base}plans/`)
  await agent.submit('Save', {
    'versions.1.name': 'Team',
    'versions.1.prices.0.amount': '40',
    'versions.1.prices.0.frequency': 'month',
  })
  await agent.open(base)
  await agent.submit('Publish')
  const app = await appAt(base)
  await apps.setOnSale(service.world.db, app.id, {
    is_published: true,
    external_sales_enabled: true,
  })
  const page = async () => textOf((await buyer(service).open(`/apps/${app.slug}/`)).body)
  assert.doesNotMatch(await page(), /Recommended|Most flexible/)
  const [, team] = await catalog.products(service.world.db, app.id)
  await agent.open(`${base}plans/`)
  await agent.submit('Highlight', { product_id: team!.id })
  assert.match(await page(), /Team Recommended/)
  await agent.open(`${base}plans/`)
  await agent.submit('Highlight', { product_id: '' })
  assert.doesNotMatch(await page(), /Recommended/)
})
