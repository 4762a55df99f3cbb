import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import { signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { addSellerWithApp } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const EVERYONE = sellers.MEMBER_ROLES
const EDITORS: readonly sellers.MemberRole[] = ['owner', 'admin', 'developer']
const SUPPORT: readonly sellers.MemberRole[] = ['owner', 'admin', 'finance', 'support']
const FINANCE: readonly sellers.MemberRole[] = ['owner', 'admin', 'finance']
const OWNER: readonly sellers.MemberRole[] = ['owner']
const ADMINS: readonly sellers.MemberRole[] = ['owner', 'admin']

/** Pages of every signed-in account, whether it is a member of a seller or not. */
const PERSONAL = [
  'GET /dashboard/',
  'GET /dashboard/start/',
  'POST /dashboard/start/',
  'POST /dashboard/switch',
  'GET /dashboard/invitations/',
  'POST /dashboard/invitations/accept',
  'GET /dashboard/transfers/',
  'POST /dashboard/transfers/accept',
  'POST /dashboard/transfers/decline',
]

/** The roles of each route that is not for every member; the first pattern that matches decides. */
const RULES: [pattern: RegExp, roles: readonly sellers.MemberRole[]][] = [
  [/^(GET|POST) \/dashboard\/apps\/new\//, EDITORS],
  [/^(GET|POST) \/dashboard\/apps\/:slug\/transfer\//, OWNER],
  [/^(GET|POST) \/dashboard\/payouts\//, FINANCE],
  [/^POST \/dashboard\/terms\//, ADMINS],
  [/^(GET|POST) \/dashboard\/seller\//, ADMINS],
  [/^POST \/dashboard\/team\//, ADMINS],
  [/^GET \/dashboard\/activity\//, ADMINS],
  [/^(GET|POST) \/dashboard\/export\//, OWNER],
  [/^POST \/dashboard\/emails\//, EVERYONE],
  [/^(GET|POST) \/dashboard\/apps\/:slug\/sales\/.*\/refund/, SUPPORT],
  [/^(GET|POST) \/dashboard\/apps\/:slug\/disputes\//, SUPPORT],
  [
    /^POST \/dashboard\/apps\/:slug\/(sales|customers|subscriptions|licenses)\/(export|search)$/,
    EVERYONE,
  ],
  [/^(GET|POST) \/dashboard\/apps\/:slug\/customers\/:license_id\/:action/, SUPPORT],
  [/^(GET|POST) \/dashboard\/apps\/:slug\/licenses\/give\//, SUPPORT],
  [/^(GET|POST) \/dashboard\/apps\/:slug\/import\//, ADMINS],
  [/^(GET|POST) \/dashboard\/apps\/:slug\/integration\/secret\//, EDITORS],
  [/^POST \/dashboard\/apps\/:slug\//, EDITORS],
  [/^GET \/dashboard\//, EVERYONE],
]

let service: TestService
const members = new Map<sellers.MemberRole, Agent>()
let other: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  for (const role of EVERYONE) members.set(role, await addMember(role))
  const { email, agent } = await signUp(service)
  await addSellerWithApp(service, { email, slug: 'lighthouse' })
  other = agent
})
after(() => service.close())

/** A browser of a new member of the cast's seller; a new owner replaces the cast's. */
async function addMember(role: sellers.MemberRole): Promise<Agent> {
  const { db, clock } = service.world
  const { email, agent } = await signUp(service)
  const user = (await identity.findByEmail(db, email))!
  const { seller_id } = await db.one<{ seller_id: SellerId }>(
    sql`select seller_id from apps where slug = 'tidepool'`,
  )
  if (role === 'owner') await db.run(sql`update seller_members set role = 'admin'`)
  await sellers.addMember(db, clock.now(), { seller_id, user_id: user.id, role })
  return agent
}

/** Every route of the dashboard, so that a new one is covered without a line here. */
function routes(): string[] {
  return service.app.declared_routes
    .flatMap(({ methods, url }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${url}`),
    )
    .filter((route) => /^\w+ \/dashboard\b/.test(route) && !PERSONAL.includes(route))
}

function rolesOf(route: string): readonly sellers.MemberRole[] {
  const rule = RULES.find(([pattern]) => pattern.test(route))
  assert.ok(rule, `no rule for ${route}`)
  return rule[1]
}

/** Sends a request to a route as a browser with a form of this service. */
async function send(agent: Agent, route: string) {
  const [method, path = ''] = route.split(' ') as ['GET' | 'POST', string]
  const url = path
    .replace(':slug', 'tidepool')
    .replaceAll(/:(\w+)(\([^)]*\))?/g, (_, name: string) => VALUES[name] ?? name)
  const start = await agent.twin().open('/account/security/')
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(start.body)?.[1] ?? ''
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
  return { status: answer.statusCode, body: answer.body }
}

/** A value for each parameter of these routes; nothing in the database has it. */
const VALUES: Record<string, string> = {
  invoice_id: `inv_${'0'.repeat(22)}`,
  dispute_id: `dsp_${'0'.repeat(22)}`,
  user_id: `usr_${'0'.repeat(22)}`,
  license_id: `lic_${'0'.repeat(22)}`,
  change_id: `chg_${'0'.repeat(22)}`,
  id: `po_${'0'.repeat(22)}`,
}

for (const role of EVERYONE) {
  // Threat 59
  test(`a member with the role ${role} reaches its routes, and no other`, async () => {
    const wrong: string[] = []
    for (const route of routes()) {
      const { status } = await send(members.get(role)!, route)
      const isAllowed = rolesOf(route).includes(role)
      const isRight = isAllowed ? [200, 303, 400, 404, 409, 422].includes(status) : status === 403
      if (!isRight) wrong.push(`${route}: ${status}`)
    }
    assert.deepEqual(wrong, [])
  })
}

test('another seller gets 404 from every route about the app', async () => {
  const wrong: string[] = []
  for (const route of routes().filter((each) => each.includes(':slug'))) {
    const { status, body } = await send(other, route)
    if (status !== 404 || body.includes('Tidepool')) wrong.push(`${route}: ${status}`)
  }
  assert.deepEqual(wrong, [])
})

test('a person who sells nothing gets 404 from every route of sellers', async () => {
  const { agent } = await signUp(service)
  const wrong: string[] = []
  for (const route of routes()) {
    const { status, body } = await send(agent, route)
    const isStart = route === 'GET /dashboard/apps/new/' && status === 303
    if ((status !== 404 && !isStart) || body.includes('Tidepool')) wrong.push(`${route}: ${status}`)
  }
  assert.deepEqual(wrong, [])
})

test('the page about a missing role sends no one to an admin for what only the owner can do', async () => {
  const textAt = async (path: string) =>
    textOf((await members.get('developer')!.twin().open(path)).body)
  assert.match(
    await textAt('/dashboard/export/'),
    /Only the owner of Tidepool Works LLC can do this\./,
  )
  assert.match(
    await textAt('/dashboard/payouts/'),
    /This requires the role owner, admin, or finance\. Ask the owner or an admin/,
  )
})
