import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import { deleteAccount, type Owner } from '#flows/account'
import { finishWalkthrough, startPreview } from '#flows/preview'
import {
  acceptTerms,
  changeMemberRole,
  inviteMember,
  removeMember,
  saveDetails,
  transferOwnership,
  withdrawMemberInvitation,
} from '#flows/seller'
import { mintId, parseId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { callTool } from '#surfaces/mcp/call'
import { tools } from '#surfaces/mcp/tools'
import { newEmail, openOwner, PASSWORD, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { closeSound } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { buyer, TEXAS } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const TEAM = '/dashboard/team/'

let service: TestService
let owner: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  owner = await signedIn(service, service.demo.seller)
})
after(() => closeSound(service))

/** Invites an email to the cast's seller. */
async function invite(email: string, role: sellers.InvitedRole): Promise<void> {
  await owner.open(TEAM)
  await owner.submit('Send invitation', { email, role })
  assert.match(textOf(owner.page.body), /Invitation sent\./)
}

/** The account of an email. */
async function idOf(email: string): Promise<UserId> {
  return (await identity.findByEmail(service.world.db, email))!.id
}

/** A new member of the cast's seller, with their browser and their page in the team. */
async function join(
  role: sellers.InvitedRole,
): Promise<{ agent: Agent; email: string; page: string; user_id: UserId }> {
  const { email, agent } = await signUp(service)
  await invite(email, role)
  await agent.open('/dashboard/invitations/')
  await agent.submit('Join')
  const user_id = await idOf(email)
  return { agent, email, user_id, page: `${TEAM}${user_id}/` }
}

test('an invited person without an account signs up with that email and joins', async () => {
  const email = newEmail()
  await invite(email, 'developer')
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
  assert.match(textOf(signed.page.body), /Tidepool/)
})

test('an invitation is for one email, one use and seven days', async () => {
  const email = newEmail()
  await invite(email, 'support')
  const { agent: other } = await signUp(service)
  const { id } = await service.world.db.one<{ id: string }>(
    sql`select id from member_invitations where email = ${email}`,
  )
  await other.open('/dashboard/invitations/')
  assert.match(textOf(other.page.body), /No invitations/)
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
  assert.match(textOf(agent.page.body), /No invitations/)
  owner = await signedIn(service, service.demo.seller)
})

test('an invitation to the new email of a member changes neither role nor activity', async () => {
  const { agent, email, user_id } = await join('support')
  const invited = newEmail()
  await invite(invited, 'admin')
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
  assert.match(textOf(owner.page.body), /except transfer apps or ownership and export all data/)
  const { agent } = await join('finance')
  await agent.open('/dashboard/apps/tidepool/integration/')
  assert.equal(agent.page.status, 200)
  await agent.submit('Save', { oauth_login_url: 'https://tidepool.example/other' })
  assert.equal(agent.page.status, 403)
  assert.match(textOf(agent.page.body), /Your role at Tidepool Works LLC is finance/)
  assert.equal((await agent.open('/dashboard/payouts/')).status, 200)
  const { agent: developer } = await join('developer')
  assert.equal((await developer.open('/dashboard/payouts/')).status, 403)
})

test('a removed member loses every page and every preview at once', async () => {
  const { agent, page } = await join('developer')
  await agent.open('/dashboard/apps/tidepool/integration/')
  await agent.submit('Start a preview', { to: 'on' })
  await owner.open(page)
  await owner.submit('Remove from the team')
  assert.match(textOf(owner.page.body), /Removed from the team\./)
  assert.equal((await agent.open('/dashboard/apps/tidepool/')).status, 404)
  const previews = await service.world.db.rows(sql`select l.id from licenses l
    join users u on u.id = l.user_id where l.status = 'preview'
      and not exists (select 1 from seller_members m where m.user_id = u.id)`)
  assert.deepEqual(previews, [])
})

test('ownership is passed on by the owner, and a seller has one owner', async () => {
  const { agent, page } = await join('admin')
  await agent.open(TEAM)
  await owner.open(page)
  await owner.submit('Transfer ownership')
  const owners = await service.world.db.rows<{ email: string }>(sql`select u.email
    from seller_members m join users u on u.id = m.user_id where m.role = 'owner'`)
  assert.equal(owners.length, 1)
  assert.notEqual(owners[0]!.email, service.demo.seller.email)
  const { body } = await owner.open(page)
  assert.doesNotMatch(textOf(body), /Transfer ownership/)
  const seller_user_id = await idOf(service.demo.seller.email)
  await agent.open(`${TEAM}${seller_user_id}/`)
  await agent.submit('Transfer ownership')
  const [first] = await sellers.membershipsOf(service.world.db, seller_user_id)
  assert.equal(first!.role, 'owner')
})

test('ends the invitations of a member whose new role may not invite', async () => {
  for (const button of ['Save', 'Remove from the team'] as const) {
    const admin = await join('admin')
    const { email, agent } = await signUp(service)
    await admin.agent.open(TEAM)
    await admin.agent.submit('Send invitation', { email, role: 'admin' })
    await agent.open('/dashboard/invitations/')
    assert.ok(agent.form('Join').csrf_token)
    await owner.open(admin.page)
    await owner.submit(button, button === 'Save' ? { role: 'developer' } : {})
    await agent.submit('Join')
    assert.deepEqual(await sellers.membershipsOf(service.world.db, await idOf(email)), [], button)
  }
})

test('a seller keeps an owner, whatever else happens to the new one during a transfer', async () => {
  const { world } = service
  const owner_id = await idOf(service.demo.seller.email)
  const [{ seller_id }] = (await sellers.membershipsOf(world.db, owner_id)) as [sellers.Membership]
  const actor = { kind: 'seller', user_id: owner_id, seller_id, request_id: 'req_test' } as const
  const demote = { role: 'support', seller_id } as const
  const changes = [
    (user_id: UserId) => changeMemberRole(world, actor, { ...demote, user_id }),
    (user_id: UserId) => removeMember(world, actor, { seller_id, user_id }),
    (_: UserId, account: Owner) => deleteAccount(world, account),
  ]
  for (const [index, change] of changes.entries()) {
    const { user_id, email } = await join('admin')
    const account = await openOwner(service, { user_id, email })
    const [passed, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // What a transfer of the ownership does, up to its commit.
    const passing = world.db.tx(async (tx) => {
      await sellers.lockMemberships(tx, user_id)
      await sellers.setRole(tx, { seller_id, user_id: owner_id, role: 'admin' })
      await sellers.setRole(tx, { seller_id, user_id, role: 'owner' })
      passed.resolve()
      await ready.promise
    })
    await passed.promise
    const changing = change(user_id, account)
    // Long enough for it to read the role, if it did not wait.
    await new Promise((resolve) => setTimeout(resolve, 200))
    ready.resolve()
    await passing
    await changing
    const member = await sellers.memberOf(world.db, { seller_id, user_id })
    assert.equal(member?.role, 'owner', `change ${index}`)
    const back = { ...actor, user_id }
    await transferOwnership(world, back, { seller_id, user_id: owner_id })
  }
})

// Threat 59
test('a change of the team that waited for the loss of the role is refused', async () => {
  const { world } = service
  const owner_id = await idOf(service.demo.seller.email)
  const [{ seller_id }] = (await sellers.membershipsOf(world.db, owner_id)) as [sellers.Membership]
  for (const lose of ['removed', 'developer'] as const) {
    const add = async (role: sellers.InvitedRole) => {
      const user_id = await idOf((await signUp(service)).email)
      await sellers.addMember(world.db, service.clock.now(), { seller_id, user_id, role })
      return user_id
    }
    const [user_id, other] = [await add('admin'), await add('support')]
    const actorOf = (by: UserId) =>
      ({ kind: 'seller', user_id: by, seller_id, request_id: 'req_test' }) as const
    const actor = actorOf(user_id)
    const [pending, email] = [newEmail(), newEmail()]
    const invited = { role: 'admin', seller_id } as const
    const before = { ...invited, email: pending, email_normalized: pending }
    await inviteMember(world, actorOf(owner_id), before)
    const invitations = await sellers.invitationsOf(world.db, service.clock.now(), seller_id)
    const { id } = invitations.find((each) => each.email === pending)!
    const of = { seller_id, user_id: other }
    for (const change of [
      () => inviteMember(world, actor, { ...invited, email, email_normalized: email }),
      () => withdrawMemberInvitation(world, actor, { seller_id, id }),
      () => changeMemberRole(world, actor, { ...of, role: 'admin' }),
      () => removeMember(world, actor, of),
    ]) {
      const [lost, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // What the owner does, up to its commit.
      const losing = world.db.tx(async (tx) => {
        await sellers.lockMemberships(tx, user_id)
        if (lose === 'removed') await sellers.removeMember(tx, { seller_id, user_id })
        else await sellers.setRole(tx, { seller_id, user_id, role: lose })
        lost.resolve()
        await ready.promise
      })
      await lost.promise
      const changing = assert.rejects(change(), { code: 'not_found' }, `${change}`)
      // Long enough for it to commit, if it did not wait.
      await new Promise((resolve) => setTimeout(resolve, 100))
      ready.resolve()
      await losing
      await changing
    }
    const left = await sellers.invitationsOf(world.db, service.clock.now(), seller_id)
    assert.ok(left.some((each) => each.id === id))
    assert.ok(!left.some((each) => each.email === email))
    assert.equal((await sellers.memberOf(world.db, of))?.role, 'support')
  }
})

// Threat 59
test('details and terms that waited for the loss of the role are not saved', async () => {
  const { world } = service
  const owner_id = await idOf(service.demo.seller.email)
  const [{ seller_id }] = (await sellers.membershipsOf(world.db, owner_id)) as [sellers.Membership]
  const user_id = await idOf((await signUp(service)).email)
  await sellers.addMember(world.db, service.clock.now(), { seller_id, user_id, role: 'admin' })
  const accepted = await sellers.acceptedTerms(world.db, seller_id)
  const newer = { ...world, seller_terms_version: '9999-01-01' }
  const { id: _, ...before } = (await sellers.findSeller(world.db, seller_id))!
  const actor = { kind: 'seller', user_id, seller_id, request_id: 'req_test' } as const
  const [lost, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // What the owner does, up to its commit.
  const losing = world.db.tx(async (tx) => {
    await sellers.lockMemberships(tx, user_id)
    await sellers.removeMember(tx, { seller_id, user_id })
    lost.resolve()
    await ready.promise
  })
  await lost.promise
  const form = { ...before, legal_name: 'Renamed LLC' }
  const saving = [
    assert.rejects(saveDetails(world, actor, { seller_id, form }), { code: 'not_found' }),
    assert.rejects(acceptTerms(newer, actor, seller_id), { code: 'not_found' }),
  ]
  // Long enough for both to commit, if they did not wait.
  await new Promise((resolve) => setTimeout(resolve, 100))
  ready.resolve()
  await losing
  await Promise.all(saving)
  const { id: __, ...after } = (await sellers.findSeller(world.db, seller_id))!
  assert.deepEqual(after, before)
  assert.deepEqual(await sellers.acceptedTerms(world.db, seller_id), accepted)
})

test('a preview that waited for the removal of the member is not given', async () => {
  const { world } = service
  const app = (await apps.find(world.db, service.demo.app.client_id))!
  const [plan] = (await catalog.products(world.db, app.id)).filter(({ is_free }) => !is_free)
  const { seller_id } = app
  const { email, agent } = await signUp(service)
  const user_id = await idOf(email)
  await sellers.addMember(world.db, service.clock.now(), { seller_id, user_id, role: 'support' })
  await agent.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
  await agent.submit('Continue', TEXAS)
  const cart_id = parseId('cart', /cart_\w+/.exec(agent.page.url)![0])
  const request = { session: { user_id, app_id: null }, request_id: 'req_test' }
  const [lost, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // What the removal does, up to its commit.
  const losing = world.db.tx(async (tx) => {
    await sellers.lockMemberships(tx, user_id)
    await sellers.removeMember(tx, { seller_id, user_id })
    await licensing.endPreview(tx, service.clock.now(), { app_id: app.id, user_id })
    lost.resolve()
    await ready.promise
  })
  await lost.promise
  const started = startPreview(world, request, { app, product_id: plan!.id })
  const finished = finishWalkthrough(world, request, cart_id)
  // Long enough for both to commit, if they did not wait.
  await new Promise((resolve) => setTimeout(resolve, 200))
  ready.resolve()
  await losing
  assert.equal(await started, false)
  assert.deepEqual(await finished, { outcome: 'sign_in_needed' })
  assert.equal(await licensing.findPreview(world.db, { app_id: app.id, user_id }), undefined)
})

test('a member of two sellers switches between them', async () => {
  const { agent, user_id } = await join('support')
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
  assert.match(textOf(agent.page.body), /Apps that Tidepool Works LLC sells/)
  await agent.submit('Switch', { seller_id: other })
  assert.match(textOf(agent.page.body), /Apps that Second LLC sells/)
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
  const { agent, email, user_id } = await join('developer')
  const slug = 'second-terms'
  await addSellerWithApp(service, { email, slug })
  const page = `/dashboard/apps/${slug}/integration/`
  await agent.open('/dashboard/')
  assert.match(textOf(agent.page.body), /Apps that Tidepool Works LLC sells/)
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
  const support = await join('support')
  assert.match(await callAs(support.user_id, 'get_app_listing', args), /Tidepool|tagline/)
  const refused = await callAs(support.user_id, 'update_app_listing', args)
  assert.match(refused, /role_not_allowed/)
  // A person who may not write has nothing to correct in the arguments.
  const invalid = { ...args, tags: 'none' }
  assert.equal(await callAs(support.user_id, 'update_app_listing', invalid), refused)
  assert.match(
    refused,
    /support\. Editing apps requires one of these roles: owner, admin, developer/,
  )
  const developer = await join('developer')
  assert.match(await callAs(developer.user_id, 'update_app_listing', args), /found by an agent/)
})

test('the activity names who did what, and through which channel', async () => {
  const { user_id, page } = await join('developer')
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
