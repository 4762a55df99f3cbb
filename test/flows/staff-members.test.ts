import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import { changeStaffRole, inviteByEmail, withdrawInvitation } from '#flows/staff-actions'
import { isoDate } from '#platform/calendar'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { addAuthenticator, isSignedIn, newEmail, PASSWORD, signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { disputeCharge } from '../support/disputes.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer } from '../support/purchase.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Member
before(async () => {
  service = await openTestService()
  await service.listen()
  await service.world.db.run(sql`update users set staff_role = null`)
  admin = await addMember('admin')
})
after(() => service.close())

interface Member {
  id: UserId
  email: string
  agent: Agent
}

/** A new member of staff with a second factor. */
async function addMember(role: identity.StaffRole): Promise<Member> {
  const { email, agent } = await signUp(service, newEmail())
  const { id } = (await identity.findByEmail(service.world.db, email))!
  await identity.setStaffRole(service.world.db, id, role)
  await addAuthenticator(service, agent)
  return { id, email, agent }
}

async function roleOf(email: string) {
  return (await identity.findByEmail(service.world.db, email))?.staff_role
}

/** The link in the latest invitation to an email. */
async function linkTo(email: string): Promise<string> {
  return linkIn(await emailTo(service, email, /^Join the staff of/), 'staff')
}

test('an admin invites by email, and the link of the email makes the person staff', async () => {
  const email = newEmail()
  const { agent } = admin
  await agent.open('/admin/staff/')
  await agent.submit('Send invitation', { email, role: 'support' })
  assert.match(agent.text, new RegExp(`${email} Support Invited by ${admin.email}`))
  const invited = buyer(service)
  await invited.open(await linkTo(email))
  assert.match(invited.text, new RegExp(`Role Support Invited by ${admin.email}`))
  await invited.submit('Join the staff', { password: PASSWORD })
  assert.equal(await roleOf(email), 'support')
  await agent.open('/admin/staff/')
  assert.match(agent.text, new RegExp(`${email} Support No second factor`))
  assert.match(agent.text, /No open invitations/)
})

test('a withdrawn invitation is no longer valid', async () => {
  const email = newEmail()
  const { agent } = admin
  await agent.open('/admin/staff/')
  await agent.submit('Send invitation', { email, role: 'admin' })
  const link = await linkTo(email)
  await agent.submit('Withdraw')
  assert.match(agent.text, /Invitation withdrawn/)
  assert.equal((await buyer(service).open(link)).status, 404)
})

test('each page below a list leads back to it, and the menu marks the list', async () => {
  const { db, clock } = service.world
  await buy(service)
  const { agent, id } = await addMember('admin')
  const { app_id, seller_id } = await db.one<Record<string, string>>(
    sql`select id as app_id, seller_id from apps where slug = ${service.demo.app.slug}`,
  )
  const month = isoDate(clock.now()).slice(0, 7)
  const pages: [list: string, page: string, back?: string][] = [
    ['sellers', `${seller_id}/`],
    ['apps', `${app_id}/`],
    ['staff', `${id}/`],
    ['tax', `${month}/`],
    ['tax', `${month}/TX/`, `tax/${month}`],
  ]
  for (const [list, page, back = list] of pages) {
    const { status, body } = await agent.open(`/admin/${list}/${page}`)
    assert.equal(status, 200, page)
    assert.match(body, new RegExp(`href="/admin/${list}/" aria-current="page"`), page)
    assert.match(body, new RegExp(`<a [^>]*href="/admin/${back}/"[^>]*>.*?</a>.*<h1`, 's'), page)
  }
})

test('the pages of a sale, its dispute and its refund have the menu of staff, with Cases marked', async () => {
  const bought = await buy(service)
  const { id } = await disputeCharge(service, bought.charge)
  const { agent } = await addMember('admin')
  const sale = `/admin/sales/${bought.invoice_id}/`
  const pages = [
    [sale, '/admin/cases/'],
    [`/admin/disputes/${id}/`, sale],
    [`${sale}refund`, sale],
  ] as const
  for (const [page, back] of pages) {
    const { status, body } = await agent.open(page)
    assert.equal(status, 200, page)
    assert.match(body, /href="\/admin\/cases\/" aria-current="page"/, page)
    assert.match(body, new RegExp(`<a [^>]*href="${back}"[^>]*>.*?</a>.*<h1`, 's'), page)
  }
  const seller = await signedIn(service, service.demo.seller)
  const { status, body } = await seller.open(
    `/dashboard/apps/${service.demo.app.slug}/sales/${bought.invoice_id}/`,
  )
  assert.equal(status, 200)
  assert.ok(!body.includes('/admin/'))
})

// Guards S10
test('invitations, roles and removal need authentication within ten minutes', async () => {
  const { agent } = await addMember('admin')
  const { id } = await addMember('support')
  const tries: [page: string, button: string, fields: Record<string, string>][] = [
    ['/admin/staff/', 'Send invitation', { email: 'new@example.com', role: 'finance' }],
    [`/admin/staff/${id}/`, 'Change role', { role: 'finance', reason: 'moves' }],
    [`/admin/staff/${id}/`, 'Remove from staff', { reason: 'leaves' }],
  ]
  service.clock.pass(11 * 60)
  for (const [page, button, fields] of tries) {
    await agent.open(page)
    await agent.submit(button, fields)
    assert.match(agent.page.url, /^\/account\/confirm/, button)
    const back = decodeURIComponent(agent.page.url)
    for (const value of Object.values(fields)) {
      assert.ok(
        back.includes(encodeURIComponent(value)) || back.includes(value),
        `${button} ${back}`,
      )
    }
  }
  assert.equal((await identity.findUser(service.world.db, id))?.staff_role, 'support')
})

test('a role changes with a reason, and applies from the next request on', async () => {
  const { id, agent } = await addMember('support')
  const boss = await addMember('admin')
  assert.equal((await agent.open('/admin/tax/')).status, 403)
  await boss.agent.open(`/admin/staff/${id}/`)
  await boss.agent.submit('Change role', { role: 'finance', reason: ' ' })
  assert.equal(boss.agent.page.status, 422)
  const long = { role: 'finance', reason: 'x'.repeat(201) }
  await boss.agent.submit('Change role', long)
  assert.match(boss.agent.text, /Use at most 200 characters/)
  assert.equal(boss.agent.form('Change role').reason, long.reason)
  assert.equal((await agent.open('/admin/tax/')).status, 403)
  await boss.agent.submit('Change role', { role: 'finance', reason: 'does the taxes' })
  assert.match(boss.agent.text, /Role changed/)
  assert.equal((await agent.open('/admin/tax/')).status, 200)
  assert.deepEqual(await lastEntry(id), {
    actor: boss.id,
    action: 'staff.role_changed',
    detail: { role: 'finance', before: 'support', through: 'page', reason: 'does the taxes' },
  })
})

async function lastEntry(id: UserId) {
  return await service.world.db.one<{ actor: string; action: string; detail: object }>(sql`
    select actor, action, detail from audit_log
    where subject = ${id} and action like 'staff.%' order by id desc limit 1`)
}

test('a removed member is signed out everywhere and finds nothing at /admin/', async () => {
  const { id, email, agent } = await addMember('finance')
  const boss = await addMember('admin')
  await boss.agent.open(`/admin/staff/${id}/`)
  await boss.agent.submit('Remove from staff', { reason: 'left the company' })
  assert.equal(boss.agent.page.url, '/admin/staff/?done=removed')
  assert.equal(await roleOf(email), null)
  assert.ok(!(await isSignedIn(agent)))
  assert.equal((await boss.agent.open(`/admin/staff/${id}/`)).status, 404)
})

test('ends the invitations of a member whose new role may not invite', async () => {
  for (const button of ['Change role', 'Remove from staff'] as const) {
    const [boss, sender] = [await addMember('admin'), await addMember('admin')]
    const email = newEmail()
    await sender.agent.open('/admin/staff/')
    await sender.agent.submit('Send invitation', { email, role: 'admin' })
    const link = await linkTo(email)
    await boss.agent.open(`/admin/staff/${sender.id}/`)
    await boss.agent.submit(button, { role: 'support', reason: 'left the company' })
    assert.equal((await buyer(service).open(link)).status, 404, button)
  }
})

test('the last admin can be neither removed nor given another role, nor two at once', async () => {
  const { world } = service
  await world.db.run(sql`update users set staff_role = null`)
  const [one, two] = [await addMember('admin'), await addMember('admin')]
  const remove = (by: Member, user_id: UserId) => {
    const staff = { kind: 'staff', user_id: by.id, request_id: 'req_test', reason: 'x' } as const
    return changeStaffRole(world, staff, { user_id, role: null })
  }
  const [locked, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = world.db.tx(async (tx) => {
    await identity.lockAdmins(tx)
    locked.resolve()
    await ready.promise
    await identity.setStaffRole(tx, one.id, null)
  })
  await locked.promise
  const second = remove(two, two.id)
  // Long enough for it to read, if it did not wait for the first.
  await new Promise((resolve) => setTimeout(resolve, 200))
  ready.resolve()
  await first
  assert.equal(await second, 'last_admin')
  const last = two
  await last.agent.open(`/admin/staff/${last.id}/`)
  for (const [button, fields] of [
    ['Remove from staff', { reason: 'leaves' }],
    ['Change role', { role: 'support', reason: 'steps back' }],
  ] as const) {
    await last.agent.submit(button, fields)
    assert.match(last.agent.text, /this is the last admin/)
  }
  assert.equal(await roleOf(last.email), 'admin')
})

// Threat 59
test('a change that waited for the loss of the admin role is refused', async () => {
  const { world } = service
  for (const role of ['support', null] as const) {
    const [boss, demoted, other] = [
      await addMember('admin'),
      await addMember('admin'),
      await addMember('support'),
    ]
    const invited = newEmail()
    const pending = { email: newEmail(), role: 'admin' } as const
    const actorOf = (user_id: UserId) =>
      ({ kind: 'staff', user_id, request_id: 'req_test' }) as const
    const actor = actorOf(demoted.id)
    const staff = { ...actor, reason: 'in time' }
    const before = { ...pending, email_normalized: pending.email }
    const sent = await inviteByEmail(world, actorOf(boss.id), before)
    assert.ok(sent.outcome === 'invited')
    for (const change of [
      () => changeStaffRole(world, staff, { user_id: boss.id, role: 'support' }),
      () => changeStaffRole(world, staff, { user_id: other.id, role: 'admin' }),
      () =>
        inviteByEmail(world, actor, { email: invited, email_normalized: invited, role: 'admin' }),
      () => withdrawInvitation(world, actor, sent.invitation.id),
    ]) {
      const [locked, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const losing = world.db.tx(async (tx) => {
        await identity.lockAdmins(tx)
        await identity.setStaffRole(tx, demoted.id, role)
        locked.resolve()
        await ready.promise
      })
      await locked.promise
      const changing = assert.rejects(change(), { code: 'not_found' }, `${change}`)
      // Long enough for it to commit, if it did not wait.
      await new Promise((resolve) => setTimeout(resolve, 100))
      ready.resolve()
      await losing
      await changing
    }
    assert.equal(await roleOf(boss.email), 'admin')
    assert.equal(await roleOf(other.email), 'support')
    const open = await identity.listStaffInvitations(world.db, service.clock.now(), {
      limit: 50,
      offset: 0,
    })
    assert.ok(open.some(({ email }) => email === pending.email))
    assert.ok(!open.some(({ email }) => email === invited))
  }
})

test('the list of staff and that of invitations have pages', async () => {
  const { db } = service.world
  const now = service.clock.now()
  const ids = sql`generate_series(1, 120) n`
  await db.run(sql`insert into users
    (id, email, email_normalized, created_via, staff_role, created_at)
    select 'usr_listed' || n, e, e, 'signup', 'support', ${now}
      from (select n, 'zz' || lpad(n::text, 3, '0') || '@example.com' as e from ${ids}) x`)
  await db.run(sql`insert into staff_invitations
    (id, email, email_normalized, role, created_at, expires_at)
    select 'sti_listed' || n, e, e, 'support', ${now}, ${new Date(now.getTime() + 3_600_000)}
      from (select n, 'yy' || lpad(n::text, 3, '0') || '@example.com' as e from ${ids}) x`)
  const { agent } = await addMember('admin')
  for (const [list, prefix] of [
    ['members', 'zz'],
    ['invitations', 'yy'],
  ] as const) {
    await agent.open('/admin/staff/')
    const seen = new Set<string>()
    for (let page = 0; page < 4; page++) {
      const { body } = agent.page
      for (const [email] of body.matchAll(new RegExp(`${prefix}\\d{3}@example`, 'g')))
        seen.add(email)
      const next = new RegExp(`href="([^"]*list=${list}[^"]*below=[^"]*)"`).exec(body)
      if (next) await agent.open(next[1]!.replaceAll('&amp;', '&'))
    }
    assert.equal(seen.size, 120, list)
    assert.match(agent.text, /First page/)
  }
})
