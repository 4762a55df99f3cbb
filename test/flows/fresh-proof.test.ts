import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/sql'
import { codeOf, isSignedIn } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { buyAndRefundTwice } from '../support/excess.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const TEN_MINUTES = 600
const HOUR = 3600
const DAY = 86_400
/** A reason that is too long by one character. */
const LONG = 'x'.repeat(201)

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

/** Posts a form to an address as a browser does that has drawn it before. */
async function post(agent: Agent, url: string, fields: Record<string, string> = {}) {
  await agent.open('/account/security/')
  const { csrf_token = '' } = agent.form(/Set up an authenticator|Remove the app/)
  return await service.app.inject({
    method: 'POST',
    url,
    headers: { cookie: agent.cookie, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ csrf_token, ...fields }).toString(),
  })
}

// S10
test('a client secret, a refund, a payout and a bank account need authentication within ten minutes', async () => {
  const { seller, app } = service.demo
  const { invoice_id } = await buy(service)
  const agent = await signedIn(service, seller)
  const base = `/dashboard/apps/${app.slug}`
  const refund = `${base}/sales/${invoice_id}/refund`
  const steps: [url: string, back: string, fields?: Record<string, string>][] = [
    [`${base}/integration/secret/`, `${base}/integration/secret/`],
    [refund, `${refund}?amount=5&reason=moved+away&credit=`, { amount: '5', reason: 'moved away' }],
    ['/dashboard/payouts/request', '/dashboard/payouts/'],
    ['/dashboard/payouts/bank', '/dashboard/payouts/'],
    ['/dashboard/payouts/bank/confirm', '/dashboard/payouts/'],
  ]
  for (const [url, , fields] of steps) {
    const answer = await post(agent, url, fields)
    assert.ok(!String(answer.headers.location).startsWith('/account/confirm'), url)
  }
  service.clock.pass(TEN_MINUTES)
  for (const [url, back, fields] of steps) {
    const { headers } = await post(agent, url, fields)
    assert.equal(headers.location, `/account/confirm?return_to=${encodeURIComponent(back)}`)
  }
  // What was filled in is not lost.
  await agent.open(`/account/confirm?return_to=${encodeURIComponent(steps[1]![1])}`)
  await agent.submit('Confirm', { password: seller.password })
  assert.equal(agent.page.url, steps[1]![1])
  assert.match(agent.page.body, /value="5"/)
  assert.match(agent.page.body, /moved away/)
})

// S10
test('a form is checked before its sender re-authenticates, so that nothing they typed is lost', async () => {
  const { seller, operator, app } = service.demo
  const { invoice_id, license_id, user_id } = await buy(service)
  const base = `/dashboard/apps/${app.slug}`
  const [agent, staff] = [await signedIn(service, seller), await signedIn(service, operator)]
  const { id: staff_id } = await service.world.db.one<{ id: string }>(
    sql`select id from users where email_normalized = ${operator.email}`,
  )
  service.clock.pass(TEN_MINUTES)
  const forms: [agent: Agent, url: string, fields: Record<string, string>][] = [
    [agent, `${base}/sales/${invoice_id}/refund`, { amount: '5' }],
    [agent, `${base}/customers/${license_id}/replace-key/`, {}],
    [agent, `${base}/licenses/give/`, { email: 'a@example.com', plan: 'prod_0' }],
    [agent, `${base}/transfer/`, { email: 'a@example.com' }],
    [staff, '/admin/write-off', { owner: user_id, account: 'seller_payable' }],
    [staff, `/admin/excess/${user_id}/write-off`, {}],
    [staff, `/admin/staff/${staff_id}/role`, { role: 'finance' }],
  ]
  for (const [sender, url, fields] of forms) {
    const { headers } = await post(sender, url, { ...fields, reason: LONG })
    assert.ok(!String(headers.location).startsWith('/account/confirm'), url)
  }
})

// S10
test('a form without a reason is checked before its sender re-authenticates', async () => {
  const { seller, operator } = service.demo
  const { user_id } = await buyAndRefundTwice(service, 500)
  // March is over, and can be filed.
  service.clock.pass(30 * DAY)
  const [owner, staff] = [await signedIn(service, seller), await signedIn(service, operator)]
  service.clock.pass(TEN_MINUTES)
  const repayment = { amount: '5.00', way: 'check', paid_on: '2026-03-12' }
  const forms: [sender: Agent, url: string, fields: Record<string, string>, wrong: string][] = [
    [owner, '/dashboard/team/invite', { role: 'support' }, 'email'],
    [staff, '/admin/staff/invite', { role: 'support' }, 'email'],
    [staff, `/admin/excess/${user_id}/repayment`, repayment, 'reference'],
    [staff, '/admin/tax/2026-03/', {}, 'filing_reference'],
    [staff, '/admin/tax/2026-03/TX/', {}, 'filing_reference'],
    [staff, '/admin/tax/2026-03/TX/confirmation', {}, 'filing_reference'],
  ]
  for (const [sender, url, fields, wrong] of forms) {
    const { statusCode, body } = await post(sender, url, { ...fields, [wrong]: LONG })
    assert.equal(statusCode, 422, url)
    assert.ok(body.includes(`id="${wrong}-error"`) || body.includes(`href="#${wrong}"`), url)
    for (const value of [LONG, ...Object.values(fields)]) assert.ok(body.includes(value), url)
  }
})

/** The details in a seller's form, without its hidden fields. */
function sellerIn({ legal_name, address, city, state, zip }: Record<string, string>) {
  return { legal_name, address, city, state, zip }
}

// S10
test('the details of a seller are checked before re-authentication, and survive it', async () => {
  const { seller } = service.demo
  const agent = await signedIn(service, seller)
  await agent.open('/dashboard/seller/')
  service.clock.pass(TEN_MINUTES)
  const fields = { legal_name: 'Low & High Tide LLC', address: '1 Pier', city: 'Salem' }
  await agent.submit('Save', { ...fields, state: 'OR', zip: '10001' })
  assert.equal(agent.page.status, 422)
  const details = { ...fields, state: 'OR', zip: '97301' }
  await agent.submit('Save', details)
  assert.match(agent.page.url, /^\/account\/confirm/)
  await agent.submit('Confirm', { password: seller.password })
  assert.deepEqual(sellerIn(agent.form('Save')), details)
  await agent.submit('Save')
  assert.match(agent.page.body, /Saved\./)
})

test('the longest details of a seller survive it, too', async () => {
  const { seller } = service.demo
  const agent = await signedIn(service, seller)
  await agent.open('/dashboard/seller/')
  service.clock.pass(TEN_MINUTES)
  const [legal_name, city] = ['💳'.repeat(200), '💳'.repeat(100)]
  const details = { legal_name, address: legal_name, city, state: 'OR', zip: '97301' }
  await agent.submit('Save', details)
  // With its cookies, what Node and the proxies of docs/operate/recipes.md read of a request.
  assert.ok(agent.page.url.length < 8_000, String(agent.page.url.length))
  await agent.submit('Confirm', { password: seller.password })
  assert.deepEqual(sellerIn(agent.form('Save')), details)
})

// S10
test('the longest reason survives re-authentication', async () => {
  const { seller, app } = service.demo
  const { license_id } = await buy(service)
  const agent = await signedIn(service, seller)
  await agent.open(`/dashboard/apps/${app.slug}/customers/${license_id}/replace-key/`)
  service.clock.pass(TEN_MINUTES)
  const reason = '💳'.repeat(200)
  await agent.submit('Replace key', { reason })
  assert.match(agent.page.url, /^\/account\/confirm/)
  await agent.submit('Confirm', { password: seller.password })
  assert.equal(agent.form('Replace key').reason, reason)
})

// S10
test('staff re-authenticate with the second factor before money moves', async () => {
  const { operator } = service.demo
  const { invoice_id } = await buy(service)
  const staff = await signedIn(service, operator)
  service.clock.pass(TEN_MINUTES)
  await staff.open(`/admin/sales/${invoice_id}/refund`)
  assert.match(staff.page.url, /^\/account\/confirm/)
  await staff.submit('Confirm', { password: operator.password, code: '000000' })
  assert.equal(staff.page.status, 422)
  const code = codeOf(service, operator.totp_secret)
  await staff.submit('Confirm', { password: operator.password, code })
  assert.equal(staff.page.url, `/admin/sales/${invoice_id}/refund`)
})

// S10
test('staff re-authenticate before writing off, marking as repaid, closing a payment or filing', async () => {
  const { operator } = service.demo
  const { user_id } = await buy(service)
  const staff = await signedIn(service, operator)
  const steps: [path: string, fields: Record<string, string>][] = [
    ['write-off', { owner: user_id, account: 'seller_payable' }],
    ['paid-otherwise', { user_id }],
    ['close-attempt', { attempt_id: 'att_none' }],
  ]
  const reason = 'agreed by phone'
  for (const [path, fields] of steps) {
    const { headers } = await post(staff, `/admin/${path}`, { ...fields, reason })
    assert.equal(headers.location, '/admin/cases/?done=nothing')
  }
  service.clock.pass(TEN_MINUTES)
  for (const [path, fields] of steps) {
    const { headers } = await post(staff, `/admin/${path}`, { ...fields, reason })
    const back = `/admin/cases/?${new URLSearchParams({ action: path, subject: Object.values(fields)[0]!, reason })}`
    assert.equal(headers.location, `/account/confirm?return_to=${encodeURIComponent(back)}`)
  }
  for (const url of ['/admin/tax/2026-03/', '/admin/tax/2026-03/TX/']) {
    const { headers } = await post(staff, url, { filing_reference: 'TX-1' })
    const back = `${url}?filing_reference=TX-1`
    assert.equal(headers.location, `/account/confirm?return_to=${encodeURIComponent(back)}`)
  }
  // What moves no money needs no fresh proof.
  const { headers } = await post(staff, '/admin/unlock', { user_id, reason })
  assert.equal(headers.location, '/admin/cases/?done=nothing')
})

// S10
test('staff without a second factor can set one up, and do nothing else', async () => {
  const { affiliate } = service.demo
  await service.world.db.run(
    sql`update users set staff_role = 'admin' where email_normalized = ${affiliate.email}`,
  )
  const agent = await signedIn(service, affiliate)
  for (const url of ['/admin/', '/admin/tax/', '/admin/checks/', '/admin/sales/inv_0/']) {
    const { status, body } = await agent.open(url)
    assert.equal(status, 403, url)
    assert.match(body, /Set up a second factor/)
  }
  assert.equal((await agent.open('/account/security/')).status, 200)
})

// S10
test('a session ends after seven days without use, and one of staff after twelve hours', async () => {
  const { seller, operator } = service.demo
  const [seldom, often] = [await signedIn(service, seller), await signedIn(service, seller)]
  for (let day = 0; day < 7; day++) {
    service.clock.pass(DAY)
    assert.ok(await isSignedIn(often))
  }
  assert.ok(!(await isSignedIn(seldom)))
  const staff = await signedIn(service, operator)
  service.clock.pass(11 * HOUR)
  assert.ok(await isSignedIn(staff))
  service.clock.pass(12 * HOUR)
  assert.ok(!(await isSignedIn(staff)))
})
