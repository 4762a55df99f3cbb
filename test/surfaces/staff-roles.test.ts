import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import { raiseAlarm } from '#platform/alarms'
import { addAuthenticator, newEmail, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { buyer } from '../support/purchase.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

const ALL = ['support', 'finance', 'admin'] as const
const SUPPORT = ['support', 'admin'] as const
const FINANCE = ['finance', 'admin'] as const
const ADMIN = ['admin'] as const

const JOB =
  '/admin/jobs/:queue(^[a-z-]{1,60}$)/:job_id(^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/'

/** The roles that have access to each route of the admin area. */
const ROUTES: Record<string, readonly identity.StaffRole[]> = {
  'GET /admin/': ALL,
  'GET /admin/cases/': ALL,
  'POST /admin/cases/search': ALL,
  'POST /admin/resolve-alarm': ALL,
  'GET /admin/sales/:invoice_id/': ALL,
  'GET /admin/sales/:invoice_id/refund': ALL,
  'POST /admin/sales/:invoice_id/refund': ALL,
  'POST /admin/suspend': SUPPORT,
  'POST /admin/reinstate': SUPPORT,
  'POST /admin/unlock': SUPPORT,
  'POST /admin/sign-out': SUPPORT,
  'POST /admin/close-attempt': FINANCE,
  'POST /admin/paid-otherwise': FINANCE,
  'POST /admin/write-off': FINANCE,
  'POST /admin/book-suspense': FINANCE,
  'GET /admin/excess/:user_id/': FINANCE,
  'POST /admin/excess/:user_id/repayment': FINANCE,
  'POST /admin/excess/:user_id/write-off': FINANCE,
  'GET /admin/disputes/:dispute_id/': FINANCE,
  'POST /admin/disputes/:dispute_id/': FINANCE,
  'GET /admin/tax/': FINANCE,
  'GET /admin/tax/:month(^\\d{4}-\\d{2}$)/': FINANCE,
  'POST /admin/tax/:month(^\\d{4}-\\d{2}$)/': FINANCE,
  'POST /admin/tax/:month(^\\d{4}-\\d{2}$)/export': FINANCE,
  'GET /admin/tax/:month(^\\d{4}-\\d{2}$)/:state(^[A-Z]{2}$)/': FINANCE,
  'POST /admin/tax/:month(^\\d{4}-\\d{2}$)/:state(^[A-Z]{2}$)/': FINANCE,
  'POST /admin/tax/:month(^\\d{4}-\\d{2}$)/:state(^[A-Z]{2}$)/confirmation': FINANCE,
  'GET /admin/checks/': FINANCE,
  'POST /admin/checks/books': FINANCE,
  'POST /admin/checks/events': FINANCE,
  'GET /admin/emails/': SUPPORT,
  'POST /admin/emails/resend': SUPPORT,
  'GET /admin/sellers/': ALL,
  'GET /admin/sellers/:seller_id/': ALL,
  'POST /admin/sellers/:seller_id/suspend': ADMIN,
  'POST /admin/sellers/:seller_id/reinstate': ADMIN,
  'POST /admin/sellers/:seller_id/pause': FINANCE,
  'POST /admin/sellers/:seller_id/resume': FINANCE,
  'POST /admin/sellers/:seller_id/view': SUPPORT,
  'POST /admin/viewing/stop': ALL,
  'GET /admin/apps/': ALL,
  'GET /admin/apps/:app_id/': ALL,
  'POST /admin/apps/:app_id/suspend': ADMIN,
  'POST /admin/apps/:app_id/reinstate': ADMIN,
  'GET /admin/payouts/': FINANCE,
  'GET /admin/audit/': ADMIN,
  'POST /admin/audit/export': ADMIN,
  'GET /admin/approvals/': ADMIN,
  'POST /admin/approvals/:id': ADMIN,
  'GET /admin/jobs/': ADMIN,
  [`GET ${JOB}`]: ADMIN,
  [`POST ${JOB}retry`]: ADMIN,
  [`POST ${JOB}cancel`]: ADMIN,
  [`POST ${JOB}discard`]: ADMIN,
  'GET /admin/staff/': ADMIN,
  'POST /admin/staff/invite': ADMIN,
  'POST /admin/staff/withdraw': ADMIN,
  'GET /admin/staff/:user_id/': ADMIN,
  'POST /admin/staff/:user_id/role': ADMIN,
  'POST /admin/staff/:user_id/remove': ADMIN,
}

/** A value for each parameter of these routes; nothing in the database has it. */
const VALUES: Record<string, string> = {
  seller_id: `sel_${'0'.repeat(22)}`,
  app_id: `app_${'0'.repeat(22)}`,
  invoice_id: `inv_${'0'.repeat(22)}`,
  dispute_id: `dsp_${'0'.repeat(22)}`,
  user_id: `usr_${'0'.repeat(22)}`,
  id: `apr_${'0'.repeat(22)}`,
  queue: 'emails',
  job_id: '00000000-0000-0000-0000-000000000000',
  month: '2026-03',
  state: 'TX',
}

let service: TestService
const staff = new Map<identity.StaffRole, Agent>()
before(async () => {
  service = await openTestService()
  await service.listen()
  for (const role of identity.STAFF_ROLES) staff.set(role, await addStaff(role))
})
after(() => service.close())

/** A browser of a new member of staff, with a second factor. */
async function addStaff(role: identity.StaffRole): Promise<Agent> {
  const { db } = service.world
  const { email, agent } = await signUp(service, newEmail())
  const user = (await identity.findByEmail(db, email))!
  await identity.setStaffRole(db, user.id, role)
  await addAuthenticator(service, agent)
  return agent
}

/** Sends a request to a route as a browser with a form of this service. */
async function send(agent: Agent, route: string) {
  const [method, path = ''] = route.split(' ') as ['GET' | 'POST', string]
  const url = path.replaceAll(/:(\w+)(\([^)]*\))?/g, (_, name: string) => VALUES[name] ?? name)
  await agent.open('/')
  await agent.open('/signin/')
  const { csrf_token = '' } = agent.form('Sign in')
  const answer = await service.app.inject({
    method,
    url,
    headers: {
      cookie: agent.cookie,
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(method === 'POST' ? { payload: new URLSearchParams({ csrf_token }).toString() } : {}),
  })
  return { status: answer.statusCode, body: answer.body, location: answer.headers.location }
}

// Threat 59
test('each route of the admin area has a row in the table of roles', () => {
  const declared = service.app.declared_routes.flatMap(({ methods, url }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${url}`),
  )
  const ours = declared.filter((route) => /^\w+ \/admin\b/.test(route))
  assert.deepEqual(ours.toSorted(), Object.keys(ROUTES).toSorted())
})

for (const role of identity.STAFF_ROLES) {
  // Threat 59
  test(`staff with the role ${role} reaches its routes, and no other`, async () => {
    const agent = staff.get(role)!
    for (const [route, roles] of Object.entries(ROUTES)) {
      const { status, body, location } = await send(agent, route)
      if (roles.includes(role)) {
        assert.ok([200, 303, 404, 422].includes(status), `${route}: ${status}`)
        assert.doesNotMatch(location ?? '', /^\/signin/, route)
      } else {
        assert.equal(status, 403, route)
        assert.match(textOf(body), new RegExp(`requires the role .*Your role is ${role}`), route)
      }
    }
  })
}

// Threat 59
test('other people reach no route of the admin area: each answers 404', async () => {
  const { agent } = await signUp(service, newEmail())
  const seller = await signedIn(service, service.demo.seller)
  for (const route of Object.keys(ROUTES)) {
    assert.equal((await send(agent, route)).status, 404, route)
    assert.equal((await send(seller, route)).status, 404, route)
    const { status, location } = await send(buyer(service), route)
    assert.equal(status, 303, route)
    assert.match(String(location), /^\/signin\//, route)
  }
})

// Threat 59
test('the page for another role names the roles that have access', async () => {
  const { status, body } = await staff.get('support')!.open('/admin/tax/')
  assert.equal(status, 403)
  assert.match(textOf(body), /This requires the role finance or admin. Your role is support/)
})

test('menus show what the role has access to', async () => {
  const menuOf = async (role: identity.StaffRole) => {
    const { body } = await staff.get(role)!.open('/admin/')
    const [menu = ''] = /<nav aria-label="Admin".*?<\/nav>/s.exec(body) ?? []
    return textOf(menu)
  }
  assert.equal(await menuOf('support'), 'Home Cases Sellers Apps Emails')
  assert.equal(await menuOf('finance'), 'Home Cases Sellers Apps Payouts Sales tax Checks')
  const pages =
    'Home Cases Sellers Apps Payouts Emails Approvals Sales tax Checks Jobs Staff Audit log'
  assert.equal(await menuOf('admin'), pages)
})

test('an alarm links to its page only for the roles that may open it', async () => {
  const { db, clock, random } = service.world
  const raised = { payee_left: '/admin/payouts/', ledger_differs: '/admin/checks/' } as const
  for (const [kind, href] of Object.entries(raised)) {
    const alarm = { kind: kind as keyof typeof raised, subject: kind, message: kind, href }
    await raiseAlarm(db, random, clock.now(), alarm)
  }
  for (const [role, agent] of staff) {
    const { body } = await agent.open('/admin/cases/')
    const shown = Object.values(raised).map((href) => body.includes(`href="${href}">Open`))
    const may = Object.values(raised).map((href) => ROUTES[`GET ${href}`]!.includes(role))
    assert.deepEqual(shown, may, role)
  }
})

test('support refunds for sixty days, as a seller does; finance at any time', async () => {
  // A subscription would be renewed as the clock passes, and no refund is possible during a charge.
  const { invoice_id } = await buy(service, { price: 2 })
  const path = `/admin/sales/${invoice_id}/`
  for (const role of ALL) {
    assert.match((await staff.get(role)!.open(path)).body, /\/refund"/, role)
  }
  service.clock.pass(61 * DAY)
  const [support, finance] = [await addStaff('support'), await addStaff('finance')]
  assert.doesNotMatch((await support.open(path)).body, /\/refund"/)
  assert.match(
    support.text,
    /No refunds\. Support can refund for 60 days\. After that, ask finance/,
  )
  await support.open(`${path}refund`)
  assert.match(support.text, /Support can refund for 60 days. After that, ask finance/)
  assert.match((await finance.open(path)).body, /\/refund"/)
})
