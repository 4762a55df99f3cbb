import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import { addDays } from '#platform/calendar'
import { type InvoiceId, mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { newEmail, PASSWORD, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { newApp, offer } from '../support/app-transfer.ts'
import { assertInvariants } from '../support/invariants.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { placesOf } from '../support/places.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { advanceAndHandleEvents, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

const PROFILE = '/account/profile/'
const DELETION = '/account/profile/delete'

/** A person with a confirmed account who bought the monthly plan. */
async function owner(): Promise<{ email: string; agent: Agent; key: string }> {
  const { email, agent } = await signUp(service)
  const key = licenseKey(await purchase(service, agent, { email }))
  return { email, agent, key }
}

/** Changes the email of an account to a new one, which is returned. */
async function changeEmail(agent: Agent): Promise<string> {
  const next = newEmail()
  await agent.open('/account/security/email')
  await agent.submit('Send confirmation email', { email: next })
  await agent.open(linkIn(await emailTo(service, next, /^Confirm your new/), 'change_email'))
  await agent.submit('Change my email')
  return next
}

async function turnOffAutoRenew(agent: Agent): Promise<void> {
  const { client_id } = service.demo.app
  await agent.open(`/manage/${client_id}/auto-renew/`)
  await agent.submit('Cancel subscription')
}

// Guards S16
describe('an export of personal data', () => {
  async function exported(agent: Agent): Promise<{ body: string; url: string }> {
    await agent.open(PROFILE)
    await agent.runTask('Export your data')
    const { body } = await agent.press('Download')
    return { body, url: agent.page.url }
  }

  test('contains everything stored about its owner, and nothing about anyone else', async () => {
    const other = await owner()
    const { email, agent, key } = await owner()
    const { body } = await exported(agent)
    const data = JSON.parse(body)
    assert.equal(data.account[0].email, email)
    assert.equal(data.sessions.length, 1)
    assert.deepEqual(
      data.licenses.map(({ app, status }: { app: string; status: string }) => [app, status]),
      [['Tidepool', 'active']],
    )
    for (const name of ['subscriptions', 'invoices', 'carts', 'cards', 'payment_attempts']) {
      assert.equal(data[name].length, 1, name)
    }
    assert.ok(data.audit_log.length > 0 && data.emails.length > 0)
    assert.ok(!body.includes(other.email) && !body.includes(key) && !body.includes('hash'))
  })

  test('contains what its owner did with a license, and their sign-ins to apps', async () => {
    const { email, agent } = await owner()
    await turnOffAutoRenew(agent)
    const { db, clock } = service.world
    const { id: user_id } = (await identity.findByEmail(db, email))!
    const { client_id } = service.demo.app
    const name = { kind: 'Grant', name: email } as const
    const facts = { payload: {}, grant: undefined, session_uid: undefined, scope: undefined }
    const grant = { ...facts, client_id, user_id, audience: undefined, life: 60 }
    assert.ok(await grants.saveRecord(db, clock.now(), name, grant))
    const data = JSON.parse((await exported(agent)).body)
    const actions = data.audit_log.map(({ action }: { action: string }) => action)
    assert.ok(actions.includes('license.auto_renew_off'), actions.join())
    assert.equal(data.sign_ins_to_apps[0].client_id, client_id)
  })

  test('contains the invitations and offers that wait for its owner, and no one else’s', async () => {
    const [{ email, agent }, other] = [await owner(), await owner()]
    const { db, clock, random } = service.world
    const seller = await signedIn(service, service.demo.seller)
    for (const invited of [email, other.email]) {
      await seller.open('/dashboard/team/')
      await seller.submit('Send invitation', { email: invited, role: 'support' })
      const app = await newApp(service)
      await offer(service, app.slug, invited)
      await identity.addStaffInvitation(db, {
        id: mintId(random, 'sti'),
        email: invited,
        email_normalized: invited,
        role: 'finance',
        invited_by: null,
        created_at: clock.now(),
        expires_at: addDays(clock.now(), 7),
      })
    }
    const { body } = await exported(agent)
    const { team_invitations, staff_invitations, offered_apps } = JSON.parse(body)
    const [team] = team_invitations
    assert.deepEqual([team.seller, team.role], ['Tidepool Works LLC', 'support'])
    assert.equal(staff_invitations[0].role, 'finance')
    const [offered] = offered_apps
    assert.match(offered.app, /^Offered /)
    assert.equal(offered.seller, 'Tidepool Works LLC')
    for (const items of [team_invitations, staff_invitations, offered_apps]) {
      assert.equal(items.length, 1)
      assert.ok(items[0].created_at < items[0].expires_at)
    }
    assert.ok(!body.includes(other.email) && !body.includes(service.demo.seller.email))
  })

  test('follows the account, not the address, where another account has that now', async () => {
    const first = await signUp(service)
    const email = await changeEmail(first.agent)
    await purchase(service, first.agent, { email })
    await changeEmail(first.agent)
    const second = await signUp(service, email)
    const own = JSON.parse((await exported(first.agent)).body)
    const others = JSON.parse((await exported(second.agent)).body)
    for (const name of ['invoices', 'carts', 'payment_attempts']) {
      assert.deepEqual([own[name].length, others[name].length], [1, 0], name)
    }
  })

  test('is available only to its owner, right after authentication', async () => {
    const { agent } = await owner()
    const { url } = await exported(agent)
    const { agent: thief } = await owner()
    assert.equal((await thief.open(url)).status, 404)
    assert.equal((await agent.open(url)).status, 200)
    service.clock.pass(601)
    await agent.open(PROFILE)
    await agent.submit('Export your data')
    assert.match(agent.text, /Confirm your identity/)
    // The history of an open browser has the address of the file.
    const ready = url.replace(/file$/, 'ready/')
    for (const address of [url, ready]) {
      await agent.open(address)
      assert.equal(agent.page.url, `/account/confirm?return_to=${encodeURIComponent(ready)}`)
    }
    await agent.submit('Confirm', { password: PASSWORD })
    assert.equal(agent.page.url, ready)
    assert.match((await agent.press('Download')).body, /"exported_at"/)
  })
})

// Guards S16
describe('deleting an account', () => {
  test('is refused while a subscription renews, and names it', async () => {
    const { email, agent } = await owner()
    await agent.open(DELETION)
    assert.match(agent.text, /Your subscription to Tidepool renews/)
    assert.throws(() => agent.form('Delete account'))
    const { csrf_token = '' } = agent.form('Sign out')
    const answer = await service.app.inject({
      method: 'POST',
      url: DELETION,
      headers: {
        cookie: agent.cookie,
        origin: service.world.config.base_url,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ csrf_token, email }).toString(),
    })
    assert.equal(answer.statusCode, 409)
    assert.deepEqual((await agent.open(PROFILE)).status, 200)
  })

  test('is refused to staff, to the owner of a published app and to an affiliate who is owed', async () => {
    const { demo } = service
    const staff = await signedIn(service, demo.operator)
    assert.match(textOf((await staff.open(DELETION)).body), /You are staff/)
    const seller = await signedIn(service, demo.seller)
    const text = textOf((await seller.open(DELETION)).body)
    assert.match(text, /Unpublish its apps/)
    // Their buyers would pay for an app that belongs to no one.
    assert.match(text, /Subscriptions to its apps have not ended\. Transfer the apps/)
    assert.match(
      text,
      /The balance of Tidepool Works LLC includes \$[\d.]+ that is not available yet/,
    )
    const { email, agent } = await signUp(service)
    await agent.open('/affiliate/')
    await agent.submit('Become an affiliate', { code: 'shore-walks' })
    await purchase(service, (await signUp(service)).agent, {
      email: newEmail(),
      query: '?ref=shore-walks',
    })
    assert.match(textOf((await agent.open(DELETION)).body), /Your commission includes/, email)
  })

  test('is refused while a refund that was returned is owed to the account', async () => {
    const { email, agent } = await signUp(service)
    await purchase(service, agent, { email, card: '4000000000005126' })
    const bought = await service.world.db.one<{ invoice_id: InvoiceId }>(sql`
      select i.id as invoice_id from invoices i join users u on u.id = i.user_id
      where u.email_normalized = ${email}`)
    assert.equal((await refund(service, bought)).outcome, 'refunded')
    await advanceAndHandleEvents(service, 2)
    await agent.open(DELETION)
    await agent.submit('Confirm', { password: PASSWORD })
    assert.match(agent.text, /Your bank returned a refund of \$12\.60\. Contact support/)
  })

  test('needs the email of the account, typed', async () => {
    const { agent } = await signUp(service)
    await agent.open(DELETION)
    await agent.submit('Delete account', { email: newEmail() })
    assert.equal(agent.page.status, 422)
    assert.match(agent.text, /Enter the email of this account/)
  })

  test('leaves the email in no table, except in the records that decision 88 names', async () => {
    const { email, agent, key } = await owner()
    await agent.open('/signin/')
    await agent.submit('Email me a sign-in link', { email })
    await emailTo(service, email, /sign-in link/)
    await turnOffAutoRenew(agent)
    assert.ok(
      (await placesOf(service, email)).includes('public.users.email'),
      'the search finds it',
    )
    await agent.open(DELETION)
    await agent.submit('Delete account', { email: email.toUpperCase() })
    assert.match(agent.text, /Account deleted/)
    await emailTo(service, email, /account was deleted/)

    const places = (await placesOf(service, email)).filter((place) => !place.startsWith('sandbox.'))
    // The confirmation, which only development stores.
    assert.deepEqual(
      places.filter((place) => !place.startsWith('public.dev_mailbox.')),
      [],
    )
    const left = await service.world.db.rows<{ subject: string }>(
      sql`select subject from dev_mailbox where recipient = ${email}`,
    )
    assert.deepEqual(left, [{ subject: 'Your Purser account was deleted' }])
    const facts = await service.world.db.rows<{ facts: object }>(
      sql`select facts from emails where kind = 'account_deleted'`,
    )
    assert.deepEqual(facts, [{ facts: {} }])

    const validated = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic(service),
      payload: { key },
    })
    assert.deepEqual([validated.json().entitled, validated.json().status], [false, 'canceled'])
    assert.match((await agent.open('/account/')).url, /^\/signin\//)
  })

  test('leaves a former email nowhere either, unless another account has it now', async () => {
    const { email, agent } = await owner()
    await turnOffAutoRenew(agent)
    await service.world.db.run(sql`insert into member_invitations
        (id, seller_id, email, email_normalized, role, invited_by, created_at, expires_at)
      select 'mbi_former', seller_id, ${email}, ${email}, 'support', user_id, now(), now()
      from seller_members limit 1`)
    const next = await changeEmail(agent)
    assert.ok((await placesOf(service, email)).includes('public.attempts.email_normalized'))
    await agent.open(DELETION)
    await agent.submit('Delete account', { email: next })
    await emailTo(service, next, /account was deleted/)
    for (const each of [email, next]) {
      const places = (await placesOf(service, each)).filter(
        (place) => !/^(sandbox|public\.dev)/.test(place),
      )
      assert.deepEqual(places, [], each)
    }
  })

  test('leaves a former email that another account has now in nothing of its own', async () => {
    const { db } = service.world
    const { email, agent } = await owner()
    await turnOffAutoRenew(agent)
    const { id } = (await identity.findByEmail(db, email))!
    const next = await changeEmail(agent)
    await purchase(service, buyer(service), { email })
    await agent.open(DELETION)
    await agent.submit('Delete account', { email: next })
    const attempts = await db.rows<{ is_own: boolean; email: string }>(sql`
      select i.user_id = ${id} as is_own, a.email_normalized as email
      from attempts a join invoices i on i.id = a.invoice_id
      where i.user_id = ${id} or a.email_normalized = ${email} order by 1`)
    assert.deepEqual(attempts, [
      { is_own: false, email },
      { is_own: true, email: identity.addressOfDeleted(id) },
    ])
  })

  test('keeps the invoices, and the books and every invariant with them', async () => {
    const { email, agent } = await owner()
    const { db } = service.world
    const user = await db.one<{ id: string }>(sql`select id from users where email = ${email}`)
    await turnOffAutoRenew(agent)
    await agent.open(DELETION)
    await agent.submit('Delete account', { email })
    const kept = await db.rows<{ status: string }>(
      sql`select status from invoices where user_id = ${user.id}`,
    )
    assert.deepEqual(kept, [{ status: 'paid' }])
    const audited = await db.rows<{ action: string }>(
      sql`select action from audit_log where subject = ${user.id} and action = 'account.deleted'`,
    )
    assert.equal(audited.length, 1)
    await assertInvariants(service)
  })

  test('lets the same email start again with a new account', async () => {
    const { email, agent } = await signUp(service)
    const { db } = service.world
    const idOf = async () =>
      (await db.one<{ id: string }>(sql`select id from users where email = ${email}`)).id
    const first = await idOf()
    await agent.open(DELETION)
    await agent.submit('Delete account', { email })
    const again = await signUp(service, email)
    assert.notEqual(await idOf(), first)
    await again.agent.open('/account/security/')
    assert.equal(again.agent.page.status, 200)
  })
})
