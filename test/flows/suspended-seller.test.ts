import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as payouts from '#domain/payouts'
import { payWeekly } from '#flows/pay-out'
import { decideAboutApp, decideAboutSeller } from '#flows/staff-actions'
import type { AppId, SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { exportBy } from '../support/exports.ts'
import { emailTo } from '../support/mailbox.ts'
import { mcpAgent } from '../support/mcp.ts'
import { BANKS, payeeOf, sell, withBank } from '../support/payees.ts'
import { buyer, chargedAmounts, goToConfirm } from '../support/purchase.ts'
import { buy, staffActor, stateOf } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400

let service: TestService
let seller_id: SellerId
let app_id: AppId
before(async () => {
  service = await openTestService()
  await service.listen()
  app_id = service.demo.app.client_id
  seller_id = (await apps.get(service.world.db, app_id)).seller_id
})
after(() => service.close())
beforeEach(async () => {
  await decide('reinstated')
})

const withReason = async (reason = 'a reason') => ({ ...(await staffActor(service)), reason })

async function decide(what: Parameters<typeof decideAboutSeller>[2]['what']): Promise<boolean> {
  return await decideAboutSeller(service.world, await withReason(), { seller_id, what })
}

const get = (url: string) => service.app.inject({ url, headers: { accept: 'text/html' } })

/** What the public gets of the cast's app: buy link, product page, listed, prices. */
async function publicView() {
  const [price] = service.demo.app.prices
  return {
    buy: (await get(`/buy/${price!.public_id}/`)).statusCode,
    product: (await get('/apps/tidepool/')).statusCode,
    is_listed: (await get('/')).body.includes('href="/apps/tidepool/"'),
    prices: (await get(`/api/v1/public/apps/${app_id}/prices/`)).statusCode,
  }
}

/** How the seller can object, on each page about a suspension. */
const REVIEW = /To ask for a review, reply to that email or\s+<a [^>]*href="\/help\/"/

const FOR_SALE = { buy: 200, product: 200, is_listed: true, prices: 200 }
const SUSPENDED = { buy: 404, product: 404, is_listed: false, prices: 200 }

describe('a suspended seller', () => {
  test('sells nothing until it is reinstated, while prices and licenses are answered', async () => {
    const bought = await buy(service)
    const known = await stateOf(service, bought)
    assert.equal(known.status, 'active')
    assert.deepEqual(await publicView(), FOR_SALE)
    assert.equal(await decide('suspended'), true)
    assert.equal(await decide('suspended'), false)
    assert.deepEqual(await publicView(), SUSPENDED)
    assert.deepEqual(await stateOf(service, bought), known)
    await decide('reinstated')
    assert.deepEqual(await publicView(), FOR_SALE)
  })

  test('charges no cart that was open before', async () => {
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: 'too-late@example.com' })
    await decide('suspended')
    await agent.submit(/^Pay /)
    assert.notEqual(agent.page.status, 200)
    assert.deepEqual(await chargedAmounts(service, 'too-late@example.com'), [])
  })

  test('is emailed the reason, and sees in its activity that staff did it', async () => {
    const staff = await signedIn(service, service.demo.operator)
    await staff.open(`/admin/sellers/${seller_id}/`)
    const turned = 'sells what \u202eis not theirs'
    await staff.submit('Suspend', { reason: turned })
    assert.match(staff.text, /Must not contain control characters/)
    assert.equal(staff.form('Suspend').reason, turned)
    await staff.submit('Suspend', { reason: ' ' })
    assert.match(staff.text, /Give a reason/)
    await staff.submit('Suspend', { reason: 'sells what is not theirs' })
    assert.match(staff.text, /Seller suspended/)
    const text = await emailTo(service, service.demo.seller.email, /is suspended/)
    assert.match(text, /sells what is not theirs/)
    const seller = await signedIn(service, service.demo.seller)
    await seller.open('/dashboard/activity/')
    assert.match(seller.text, /Seller: suspended .* Purser staff/)
    assert.doesNotMatch(seller.page.body, new RegExp(service.demo.operator.email))
    const audited = await service.world.db.one<{ channel: string; reason: string }>(sql`
      select channel, detail ->> 'reason' as reason from audit_log
      where action = 'seller.suspended' order by id desc limit 1`)
    assert.deepEqual(audited, { channel: 'admin', reason: 'sells what is not theirs' })
  })

  test('reads on each page of its menu that it is suspended', async () => {
    const seller = await signedIn(service, service.demo.seller)
    const pages = ['', 'overview/', 'team/', 'activity/', 'seller/', 'export/', 'emails/', 'terms/']
    const readPages = async () => {
      const said: string[] = []
      for (const page of pages) {
        const { body } = await seller.open(`/dashboard/${page}`)
        if (/is suspended/.test(textOf(body))) said.push(page)
        assert.equal(REVIEW.test(body), /is suspended/.test(textOf(body)), page)
      }
      return said
    }
    assert.deepEqual(await readPages(), [])
    await decide('suspended')
    assert.deepEqual(await readPages(), pages)
  })

  test('reads on each page of its app that nothing can be changed', async () => {
    const seller = await signedIn(service, service.demo.seller)
    await decide('suspended')
    const unsaid = await pagesWithout(
      seller,
      /Tidepool is suspended with its seller It is not for sale and not listed, and nothing can be/,
    )
    assert.deepEqual(unsaid, [])
  })

  test('is led to no form for a new app', async () => {
    const seller = await signedIn(service, service.demo.seller)
    const leads = async () => (await seller.open('/dashboard/')).body.includes('/apps/new/')
    assert.equal(await leads(), true)
    await decide('suspended')
    assert.equal(await leads(), false)
  })

  test('searches its lists, also for a license key, which is in no address', async () => {
    const { license_id, license_key } = await buy(service)
    const seller = await signedIn(service, service.demo.seller)
    await decide('suspended')
    await seller.open('/dashboard/apps/tidepool/customers/')
    const { status, url } = await seller.submit('Search', { q: license_key })
    assert.equal(status, 200)
    assert.ok(url.includes(license_id), url)
  })

  test('exports all of its data, and its lists', async () => {
    await buy(service)
    const seller = await signedIn(service, service.demo.seller)
    await decide('suspended')
    const lists = ['sales', 'customers', 'subscriptions', 'licenses'] as const
    for (const list of lists) {
      await seller.open(`/dashboard/apps/tidepool/${list}/`)
      const { rows } = await exportBy(seller, 'Export CSV')
      assert.ok(rows.length > 0, list)
    }
    await seller.open('/dashboard/export/')
    assert.match(seller.text, /Its data can be exported/)
    await seller.runTask('Export everything')
    assert.match(seller.text, /Your export is ready.*purser-export-\d{4}-\d\d-\d\d\.zip/)
  })

  test('shows staff who cannot read the audit log since when, and why', async () => {
    const { db } = service.world
    await decide('suspended')
    await decide('payouts_paused')
    const role = (to: string) =>
      db.run(sql`update users set staff_role = ${to}
        where email_normalized = ${service.demo.operator.email}`)
    await role('finance')
    const staff = await signedIn(service, service.demo.operator)
    const text = textOf((await staff.open(`/admin/sellers/${seller_id}/`)).body)
    await role('admin')
    await decide('payouts_resumed')
    assert.match(text, /Suspended Since \w+ \d+, \d+ ?: a reason/)
    assert.match(text, /Payouts paused Since \w+ \d+, \d+ ?: a reason/)
  })

  test('changes its bank account after the bank returned a payout, and is paid weekly', async () => {
    const { world, clock } = service
    const { owner } = await payeeOf(service, 'seller')
    await withBank(service, 'seller', BANKS.closed)
    await sell(service)
    clock.pass(15 * DAY)
    assert.equal(await payWeekly(world), 1)
    await decide('suspended')
    clock.pass(DAY)
    await handleEvents(world)
    const bankNow = async () => (await payouts.findAccount(world.db, owner))!
    assert.equal((await bankNow()).is_ready, false)
    await withBank(service, 'seller')
    assert.partialDeepStrictEqual(await bankNow(), { is_ready: true, bank_last4: '6789' })
    clock.pass(7 * DAY)
    assert.equal(await payWeekly(world), 1)
    clock.pass(DAY)
    await handleEvents(world)
  })

  test('is offered no payout on request, which would be refused', async () => {
    const { world } = service
    await withBank(service, 'seller')
    await sell(service)
    service.clock.pass(15 * DAY)
    const seller = await signedIn(service, service.demo.seller)
    await seller.open('/dashboard/payouts/')
    assert.match(seller.text, /, or request it now\./)
    seller.form('Pay out now')
    await decide('suspended')
    await seller.open('/dashboard/payouts/')
    assert.match(seller.text, /This seller is suspended A payout cannot be requested until/)
    assert.match(seller.page.body, REVIEW)
    assert.match(seller.text, /Paid automatically on Monday, [\w, ]+\. /)
    assert.throws(() => seller.form('Pay out now'))
    assert.equal(await payWeekly(world), 1)
  })

  test('has agents that read its apps and change nothing', async () => {
    const agent = await mcpAgent(service, { email: service.demo.seller.email })
    await decide('suspended')
    const read = await agent.call('get_app_listing', { app_slug: 'tidepool' })
    assert.equal(read.is_error, false)
    const write = { app_slug: 'tidepool', tagline: 'changed by an agent' }
    const refused = await agent.call('update_app_listing', write)
    assert.deepEqual([refused.is_error, refused.json.error], [true, 'seller_suspended'])
    assert.deepEqual(await agent.call('update_app_listing', { ...write, tags: 'none' }), refused)
    assert.notEqual((await apps.get(service.world.db, app_id)).tagline, write.tagline)
  })
})

// Guards point 12 of issue 11
test('every form that changes something is refused while the seller is suspended, no page is', async () => {
  const seller = await signedIn(service, service.demo.seller)
  await decide('suspended')
  const wrong: string[] = []
  for (const { methods, url } of service.app.declared_routes) {
    if (!url.startsWith('/dashboard/') || PERSONAL.includes(url)) continue
    for (const method of methods.filter((each) => each !== 'HEAD')) {
      const { statusCode, body } = await sendAs(seller, method, url)
      const isRefused =
        statusCode === 403 &&
        textOf(body).includes('is suspended Nothing was saved') &&
        REVIEW.test(body)
      const isSearch = url.endsWith('/search')
      const isExport = /\/export\/?$/.test(url)
      const isOpen = isSearch || isExport || OF_BANK.includes(url)
      if (isRefused !== (method === 'POST' && !isOpen))
        wrong.push(`${method} ${url}: ${statusCode}`)
    }
  }
  assert.deepEqual(wrong, [])
})

/** Forms of an account that is a member of any seller or of none. */
const PERSONAL = [
  '/dashboard/start/',
  '/dashboard/switch',
  '/dashboard/invitations/accept',
  '/dashboard/transfers/accept',
  '/dashboard/transfers/decline',
]

const OF_BANK = ['/dashboard/payouts/bank', '/dashboard/payouts/bank/confirm']

const VALUES: Record<string, string> = {
  slug: 'tidepool',
  invoice_id: `inv_${'0'.repeat(22)}`,
  dispute_id: `dsp_${'0'.repeat(22)}`,
  user_id: `usr_${'0'.repeat(22)}`,
  license_id: `lic_${'0'.repeat(22)}`,
  change_id: `chg_${'0'.repeat(22)}`,
  id: `po_${'0'.repeat(22)}`,
}

async function sendAs(agent: Agent, method: string, url: string) {
  const start = await agent.twin().open('/account/security/')
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(start.body)?.[1] ?? ''
  return await service.app.inject({
    method: method as 'GET',
    url: url.replaceAll(/:(\w+)(\([^)]*\))?/g, (_, name: string) => VALUES[name] ?? 'none'),
    headers: {
      cookie: agent.cookie,
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(method === 'POST' ? { payload: new URLSearchParams({ csrf_token }).toString() } : {}),
  })
}

/** The pages of the app that do not have this text. */
async function pagesWithout(seller: Agent, text: RegExp): Promise<string[]> {
  const { invoice_id, license_id } = await service.world.db.one<Record<string, string>>(
    sql`select i.id as invoice_id, i.license_id from invoices i where i.app_id = ${app_id} limit 1`,
  )
  const pages = [
    ...['', 'plans/', 'discounts/', 'listing/', 'import/', 'affiliates/', 'integration/'],
    ...['changes/', 'settings/', 'test-clock/', 'transfer/', 'sales/', 'customers/'],
    ...['subscriptions/', 'licenses/', 'licenses/give/', `sales/${invoice_id}/`],
    ...[`sales/${invoice_id}/refund`, `customers/${license_id}/`],
  ]
  const without: string[] = []
  for (const page of pages) {
    await seller.open(`/dashboard/apps/tidepool/${page}`)
    if (seller.page.status !== 200 || !text.test(seller.text)) without.push(page)
  }
  return without
}

describe('a suspended app', () => {
  const decideApp = async (what: 'suspended' | 'reinstated') =>
    await decideAboutApp(service.world, await withReason('unsafe'), { app_id, what })

  test('is not for sale and not listed, and its seller is emailed the reason', async () => {
    assert.equal(await decideApp('suspended'), true)
    assert.deepEqual(await publicView(), SUSPENDED)
    const text = await emailTo(service, service.demo.seller.email, /Tidepool is suspended/)
    assert.match(text, /unsafe/)
    await decideApp('reinstated')
    assert.deepEqual(await publicView(), FOR_SALE)
  })

  test('says so on each of its pages, which can still be changed', async () => {
    const seller = await signedIn(service, service.demo.seller)
    await decideApp('suspended')
    const text =
      /Tidepool is suspended It is not for sale and not listed\. .* To ask for a review, reply to/
    assert.deepEqual(await pagesWithout(seller, text), [])
    await decideApp('reinstated')
    assert.equal((await pagesWithout(seller, text)).length, 19)
  })

  test('has a page that shows staff since when, and why', async () => {
    const staff = await signedIn(service, service.demo.operator)
    const textNow = async () => textOf((await staff.open(`/admin/apps/${app_id}/`)).body)
    await decideApp('suspended')
    assert.match(await textNow(), /Suspended Since \w+ \d+, \d+ ?: unsafe/)
    await decideApp('reinstated')
    assert.doesNotMatch(await textNow(), /unsafe/)
  })

  test('says in its preview that it is suspended', async () => {
    const seller = await signedIn(service, service.demo.seller)
    const preview = async () =>
      textOf((await seller.open('/dashboard/apps/tidepool/preview/')).body)
    await decideApp('suspended')
    assert.match(await preview(), /Preview\. The app is suspended: buyers do not see this page/)
    assert.match(await preview(), /Not on sale(?! yet)/)
    await decideApp('reinstated')
    assert.doesNotMatch(await preview(), /suspended/)
  })

  test('stays suspended when its seller is reinstated', async () => {
    await decide('suspended')
    await decideApp('suspended')
    await decide('reinstated')
    assert.deepEqual(await publicView(), SUSPENDED)
    await decideApp('reinstated')
    assert.deepEqual(await publicView(), FOR_SALE)
  })

  test('is not reported as for sale while its seller is suspended', async () => {
    await decide('suspended')
    await decideApp('suspended')
    await decideApp('reinstated')
    const text = await emailTo(service, service.demo.seller.email, /^Tidepool was reinstated$/)
    assert.match(text, /for sale and listed again once its seller is reinstated too/)
    assert.doesNotMatch(text, /as before|no longer suspended/)
  })

  test('is found by its state', async () => {
    const { db } = service.world
    await addApp(service, { slug: 'other', name: 'Other' })
    await decideApp('suspended')
    const found = await apps.listForStaff(db, { state: 'suspended', limit: 10 })
    assert.deepEqual(
      found.map(({ id }) => id),
      [app_id],
    )
    await decideApp('reinstated')
    for (const state of apps.APP_STATES) await apps.listForStaff(db, { state, limit: 10 })
  })
})
