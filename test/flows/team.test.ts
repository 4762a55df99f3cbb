import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { mintId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { callTool } from '#surfaces/mcp/call'
import { tools } from '#surfaces/mcp/tools'
import { newEmail, PASSWORD, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { buyer } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { idOf, invite, join, TEAM } from '../support/team.ts'

let service: TestService
let owner: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  owner = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

test('an invited person without an account signs up with that email and joins', async () => {
  const email = newEmail()
  await invite(owner, email, 'developer')
  const message = await emailTo(service, email, /^Join Tidepool Works LLC on Purser$/)
  const [, url] = /(https?:\/\/\S+\/dashboard\/invitations\/)/.exec(message) ?? []
  assert.ok(url)
  const agent = buyer(service)
  await agent.open(url)
  assert.match(agent.page.url, /^\/signin\//)
  const { agent: signed } = await signUp(service, email)
  await signed.open(url)
  await signed.submit('Join')
  assert.equal(signed.page.url, '/dashboard/')
  assert.match(signed.text, /Tidepool/)
})

test('an invitation is for one email, one use and seven days', async () => {
  const email = newEmail()
  await invite(owner, email, 'support')
  const { agent: other } = await signUp(service)
  const { id } = await service.world.db.one<{ id: string }>(
    sql`select id from member_invitations where email = ${email}`,
  )
  await other.open('/dashboard/invitations/')
  assert.match(other.text, /No invitations/)
  const forms = await other.open('/dashboard/start/')
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(forms.body)?.[1] ?? ''
  const { statusCode } = await service.app.inject({
    method: 'POST',
    url: '/dashboard/invitations/accept',
    headers: { cookie: other.cookie, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ csrf_token, invitation_id: id }).toString(),
  })
  assert.equal(statusCode, 303)
  assert.match(textOf((await other.open('/dashboard/')).body), /Start selling/)

  const { agent } = await signUp(service, email)
  service.clock.pass(7 * 86_400)
  await agent.open('/signin/')
  await agent.submit('Sign in', { email, password: PASSWORD })
  await agent.open('/dashboard/invitations/')
  assert.match(agent.text, /No invitations/)
  owner = await signedIn(service, service.demo.seller)
})

test('an invitation to the new email of a member changes neither role nor activity', async () => {
  const { agent, email, user_id } = await join({ service, owner }, 'support')
  const invited = newEmail()
  await invite(owner, invited, 'admin')
  await identity.setEmail(service.world.db, { user_id, email: invited, email_normalized: invited })
  await agent.open('/dashboard/invitations/')
  await agent.submit('Join')
  assert.equal(agent.page.url, '/dashboard/')
  const { seller_id, role } = (await sellers.membershipsOf(service.world.db, user_id))[0]!
  assert.equal(role, 'support')
  const joined = await service.world.db.rows(sql`select 1 from audit_log
    where action = 'seller.member_joined' and subject = ${seller_id}
      and detail ->> 'user_id' = ${user_id}`)
  assert.equal(joined.length, 1, email)
})

test('the role decides what a member may do', async () => {
  await owner.open(TEAM)
  assert.match(owner.text, /except transfer apps or ownership and export all data/)
  const { agent } = await join({ service, owner }, 'finance')
  await agent.open('/dashboard/apps/tidepool/integration/')
  assert.equal(agent.page.status, 200)
  assert.match(
    agent.text,
    /Your role is finance\. Changes here require the role owner, admin, or dev/,
  )
  await agent.submit('Save', { oauth_login_url: 'https://tidepool.example/other' })
  assert.equal(agent.page.status, 403)
  assert.match(agent.text, /Your role at Tidepool Works LLC is finance/)
  assert.equal((await agent.open('/dashboard/payouts/')).status, 200)
  const { agent: developer } = await join({ service, owner }, 'developer')
  assert.equal((await developer.open('/dashboard/payouts/')).status, 403)
  await developer.open('/dashboard/apps/tidepool/plans/')
  assert.doesNotMatch(developer.page.body, /View only|<fieldset disabled/)
  await agent.open('/dashboard/apps/tidepool/plans/')
  assert.match(agent.page.body, /<fieldset disabled/)
})

test('a removed member loses every page and every preview at once', async () => {
  const { agent, page } = await join({ service, owner }, 'developer')
  await agent.open('/dashboard/apps/tidepool/integration/')
  await agent.submit('Start a preview', { to: 'on' })
  await owner.open(page)
  await owner.submit('Remove from the team')
  assert.match(owner.text, /Removed from the team\./)
  assert.equal((await agent.open('/dashboard/apps/tidepool/')).status, 404)
  const previews = await service.world.db.rows(sql`select l.id from licenses l
    join users u on u.id = l.user_id where l.status = 'preview'
      and not exists (select 1 from seller_members m where m.user_id = u.id)`)
  assert.deepEqual(previews, [])
})

test('ownership is passed on by the owner, and a seller has one owner', async () => {
  const { agent, page } = await join({ service, owner }, 'admin')
  await agent.open(TEAM)
  await owner.open(page)
  await owner.submit('Transfer ownership')
  const owners = await service.world.db.rows<{ email: string }>(sql`select u.email
    from seller_members m join users u on u.id = m.user_id where m.role = 'owner'`)
  assert.equal(owners.length, 1)
  assert.notEqual(owners[0]!.email, service.demo.seller.email)
  const { body } = await owner.open(page)
  assert.doesNotMatch(textOf(body), /Transfer ownership/)
  const seller_user_id = await idOf(service, service.demo.seller.email)
  await agent.open(`${TEAM}${seller_user_id}/`)
  await agent.submit('Transfer ownership')
  const [first] = await sellers.membershipsOf(service.world.db, seller_user_id)
  assert.equal(first!.role, 'owner')
})

test('ends the invitations of a member whose new role may not invite', async () => {
  for (const button of ['Save', 'Remove from the team'] as const) {
    const admin = await join({ service, owner }, 'admin')
    const { email, agent } = await signUp(service)
    await admin.agent.open(TEAM)
    await admin.agent.submit('Send invitation', { email, role: 'admin' })
    await agent.open('/dashboard/invitations/')
    assert.ok(agent.form('Join').csrf_token)
    await owner.open(admin.page)
    await owner.submit(button, button === 'Save' ? { role: 'developer' } : {})
    await agent.submit('Join')
    assert.deepEqual(
      await sellers.membershipsOf(service.world.db, await idOf(service, email)),
      [],
      button,
    )
  }
})

test('a member of two sellers switches between them', async () => {
  const { agent, user_id } = await join({ service, owner }, 'support')
  await agent.open('/dashboard/start/')
  assert.equal(agent.page.url, '/dashboard/')
  const { db, clock, random } = service.world
  const other = mintId(random, 'sel')
  await sellers.addSeller(db, clock.now(), {
    id: other,
    legal_name: 'Second LLC',
    address: '1 Main Street',
    city: 'Austin',
    state: 'TX',
    zip: '78701',
  })
  await sellers.addMember(db, clock.now(), { seller_id: other, user_id, role: 'owner' })
  await agent.open('/dashboard/')
  assert.match(agent.text, /Apps that Tidepool Works LLC sells/)
  await agent.submit('Switch', { seller_id: other })
  assert.match(agent.text, /Apps that Second LLC sells/)
})

/** Calls a tool as an agent of a member. */
async function callAs(user_id: UserId, name: string, args: Record<string, unknown>) {
  const expires_at = new Date(service.clock.now().getTime() + 3_600_000)
  const { AGENT_CLIENT: client_id, AGENT_SCOPES: scopes } = grants
  const bearer = { user_id, client_id, scopes: [...scopes], expires_at }
  const tool = tools.find((each) => each.name === name)!
  const caller = { bearer, request_id: 'req_team', agent: 'a test' }
  return JSON.stringify(await callTool(service.world, caller, { tool, args }))
}

test('a member of two sellers accepts the terms for the seller of the app', async () => {
  const { agent, email, user_id } = await join({ service, owner }, 'developer')
  const slug = 'second-terms'
  await addSellerWithApp(service, { email, slug })
  const page = `/dashboard/apps/${slug}/integration/`
  await agent.open('/dashboard/')
  assert.match(agent.text, /Apps that Tidepool Works LLC sells/)
  const args = { app_slug: slug, tagline: 'Lights' }
  const refused = await callAs(user_id, 'update_app_listing', args)
  const [, acceptance_url] = /"acceptance_url\\":\\"http:\/\/[^/]+([^"\\]+)/.exec(refused) ?? []
  assert.match(textOf((await agent.open(acceptance_url!)).body), /You accept for Another LLC/)

  await agent.open(page)
  await agent.submit('Save')
  assert.equal(agent.page.url, `/dashboard/terms/?return_to=${encodeURIComponent(page)}`)
  await agent.submit('I accept these terms')
  assert.equal(agent.page.url, page)
  assert.match(await callAs(user_id, 'update_app_listing', args), /Lights/)
})

// Threats 22 and 59
test('an agent does what its person’s role allows, and no more', async () => {
  const args = { app_slug: 'tidepool', tagline: 'Low water, found by an agent' }
  const support = await join({ service, owner }, 'support')
  assert.match(await callAs(support.user_id, 'get_app_listing', args), /Tidepool|tagline/)
  const refused = await callAs(support.user_id, 'update_app_listing', args)
  assert.match(refused, /role_not_allowed/)
  // Also before the terms, which this member need not accept.
  const { db } = service.world
  const [was] = await db.rows<{ terms: Date }>(
    sql`select terms_accepted_at as terms from sellers where legal_name = 'Tidepool Works LLC'`,
  )
  await db.run(sql`update sellers set terms_accepted_at = null`)
  const first = await callAs(support.user_id, 'update_app_listing', args)
  await db.run(sql`update sellers set terms_accepted_at = ${was!.terms}
    where legal_name = 'Tidepool Works LLC'`)
  assert.match(first, /role_not_allowed/)
  // A person who may not write has nothing to correct in the arguments.
  const invalid = { ...args, tags: 'none' }
  assert.equal(await callAs(support.user_id, 'update_app_listing', invalid), refused)
  assert.match(
    refused,
    /support\. Editing apps requires one of these roles: owner, admin, developer/,
  )
  const developer = await join({ service, owner }, 'developer')
  assert.match(await callAs(developer.user_id, 'update_app_listing', args), /found by an agent/)
})

test('the activity names who did what, and through which channel', async () => {
  const { user_id, page } = await join({ service, owner }, 'developer')
  const args = { app_slug: 'tidepool', tagline: 'Low water, once more' }
  await callAs(user_id, 'update_app_listing', args)
  await owner.open(page)
  await owner.submit('Save', { role: 'finance' })
  const { body } = await owner.open('/dashboard/activity/')
  const text = textOf(body)
  assert.match(text, /Listing: updated Tidepool \S+@\S+, through an agent/)
  assert.match(
    text,
    /Seller: member changed Tidepool Works LLC marina@tidepool\.example, on a page/,
  )
})
