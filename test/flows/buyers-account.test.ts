import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '#platform/sql'
import { assertTooOften } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { addApp } from '../support/apps.ts'
import { assertInvariants } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import {
  buyer,
  chargedAmounts,
  enterCard,
  goToConfirm,
  licenseKey,
  purchase,
  TEXAS,
} from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let link: string
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  link = `/buy/${service.demo.app.prices[0]!.public_id}/`
})
after(() => service.close())

let emails = 0
const fresh = () => `account-${emails++}@example.com`

/** Gives the details of a purchase and returns the page that follows. */
async function begin(agent: Agent, email: string, url = link) {
  await agent.open(url)
  return await agent.submit('Continue', { email, ...TEXAS })
}

/** An account that bought before, and whose owner answered from the mailbox and set a password. */
async function addOwner(password = 'a password of the owner'): Promise<string> {
  const email = fresh()
  const agent = buyer(service)
  await purchase(service, agent, { email })
  const receipt = await emailTo(service, email, /receipt/)
  await agent.open(linkIn(receipt, 'set_password'))
  await agent.submit('Save password', { password })
  assert.equal(agent.page.url, '/account/')
  return email
}

const cancel = (email: string) => forceStatus(service, 'canceled', { email })

describe('an email that has an account', () => {
  test('signs in with its password and continues the purchase', async () => {
    const { email, password } = service.demo.buyer
    const agent = buyer(service)
    const page = await begin(agent, email)
    assert.match(page.url, /^\/checkout\/cart_\w{22}\/sign-in$/)
    assert.match(textOf((await agent.submit('Sign in', { password })).body), /Enter your card/)
    await enterCard(agent)
    assert.match(textOf((await agent.submit(/^Pay /)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('that is signed in with the purchase open twice is charged once', async () => {
    const email = await addOwner()
    await cancel(email)
    const one = buyer(service)
    await one.open('/signin/')
    await one.submit('Sign in', { email, password: 'a password of the owner' })
    const two = one.tab()
    for (const tab of [one, two]) {
      await begin(tab, email)
      await enterCard(tab)
    }
    assert.match(textOf((await one.submit(/^Pay /)).body), /License key/)
    assert.match((await two.submit(/^Pay /)).url, /^http:\/\/localhost:4999\/login\?svc_order=/)
    assert.deepEqual(await chargedAmounts(service, email), [1260, 1260])
  })

  test('is found in any spelling', async () => {
    for (const email of ['ROBIN@EXAMPLE.COM', ' Robin@example.com ', 'robin@EXAMPLE.com']) {
      assert.match((await begin(buyer(service), email)).url, /\/sign-in$/)
    }
  })

  test('is redirected to the app it owns after signing in, and not before', async () => {
    const password = 'a password of the owner'
    const email = await addOwner(password)
    const other = buyer(service)
    const page = await begin(other, email)
    const cart = page.url.replace('sign-in', '')
    // Another person who skips the step, card and all, learns nothing and gets nowhere.
    await other.open(`${cart}card`)
    await enterCard(other)
    const refused = await other.submit(/^Pay /)
    assert.equal(refused.url, `${cart}sign-in?notice=not_charged`)
    assert.ok(!/svc_order|key_/.test(refused.body))
    assert.deepEqual(await chargedAmounts(service, email), [1260])
    const back = await other.submit('Sign in', { password })
    assert.match(back.url, /^http:\/\/localhost:4999\/login\?svc_order=/)
  })

  test('whose account was created during this checkout cannot be used by another person', async () => {
    const email = fresh()
    const [other, owner] = [buyer(service), buyer(service)]
    await goToConfirm(service, other, { email })
    await purchase(service, owner, { email })
    const page = await other.submit(/^Pay /)
    assert.match(page.url, /^\/checkout\/cart_\w{22}\/sign-in\?notice=not_charged$/)
    assert.ok(!/svc_order|key_/.test(page.body))
    assert.deepEqual(await chargedAmounts(service, email), [1260])
  })

  test('takes no attempt for an empty password, and says what is missing', async () => {
    const email = await addOwner()
    const agent = buyer(service)
    await begin(agent, email)
    for (let time = 0; time < 8; time++) {
      const page = await agent.submit('Sign in', { password: '' })
      assert.equal(page.status, 422)
      assert.match(textOf(page.body), /Enter your password\./)
      assert.match(page.body, /<input[^>]*name="password"[^>]*aria-invalid="true"/)
    }
  })

  // F32
  test('slows down a person who guesses, and not the owner elsewhere', async () => {
    const email = await addOwner()
    const agent = buyer(service)
    await begin(agent, email)
    for (let guess = 0; guess < 6; guess++) {
      const page = await agent.submit('Sign in', { password: `guess number ${guess}` })
      assert.equal(page.status, 422)
      assert.match(textOf(page.body), /The password is incorrect/)
    }
    for (const password of ['a password of the owner', 'one more guess']) {
      const page = await agent.submit('Sign in', { password })
      assertTooOften(page)
    }
    const elsewhere = buyer(service)
    await begin(elsewhere, email)
    await elsewhere.submit('Sign in', { password: 'a password of the owner' })
    assert.doesNotMatch(elsewhere.page.url, /sign-in/)
  })

  test('signs in by an email, which works once and returns the buyer', async () => {
    const email = await addOwner()
    await cancel(email)
    const agent = buyer(service)
    const cart = (await begin(agent, email)).url
    const sent = await agent.submit('Email me a sign-in link')
    assert.match(textOf(sent.body), /We sent a sign-in link to/)
    const path = linkIn(await emailTo(service, email, /sign-in link/), 'sign_in')
    // Looking at the link does nothing yet: a mail program may do that.
    for (let look = 0; look < 3; look++) await buyer(service).open(path)
    await agent.open(path)
    assert.match(textOf((await agent.submit('Sign in')).body), /Enter your card/)
    const thief = buyer(service)
    assert.equal((await thief.open(path)).status, 404)
    assert.match(thief.text, /This link has expired or was already used/)
    await enterCard(agent)
    assert.match(textOf((await agent.submit(/^Pay /)).body), /License key/)
    assert.deepEqual(await chargedAmounts(service, email), [1260, 1260])
    assert.ok((await agent.open(cart)).url.endsWith('/success'))
  })

  test('gets no second email for an old one: a link expires after 20 minutes', async () => {
    const email = await addOwner()
    const agent = buyer(service)
    await begin(agent, email)
    await agent.submit('Email me a sign-in link')
    const path = linkIn(await emailTo(service, email, /sign-in link/), 'sign_in')
    service.clock.pass(20 * 60)
    assert.equal((await agent.open(path)).status, 404)
  })
})

describe('a new email', () => {
  test('gets an account, and a session that sees this app and nothing else', async () => {
    const email = fresh()
    const harbor = await addApp(service, { slug: 'harbor' })
    const agent = buyer(service)
    const page = await purchase(service, agent, { email })
    const user = await service.world.db.one<Record<string, unknown>>(sql`
      select u.created_via, u.email_verified_at, u.password_hash, s.app_id
      from users u join sessions s on s.user_id = u.id where u.email_normalized = ${email}`)
    assert.deepEqual(user, {
      created_via: 'checkout',
      email_verified_at: null,
      password_hash: null,
      app_id: service.demo.app.client_id,
    })
    const manage = await agent.open(`/manage/${service.demo.app.client_id}/`)
    assert.equal(licenseKey(manage), licenseKey(page))
    const other = await agent.open(`/manage/${harbor.client_id}/`)
    assert.match(other.url, /^\/signin\//)
    assert.match(
      textOf((await begin(agent, email, `/buy/${harbor.price_id}/`)).body),
      /has an account/,
    )
  })

  test('has the session for a day, in this browser only', async () => {
    const agent = buyer(service)
    await purchase(service, agent, { email: fresh() })
    const manage = `/manage/${service.demo.app.client_id}/`
    assert.match((await buyer(service).open(manage)).url, /^\/signin\//)
    service.clock.pass(86_400 - 1)
    assert.equal((await agent.open(manage)).url, manage)
    service.clock.pass(1)
    assert.match((await agent.open(manage)).url, /^\/signin\//)
  })

  test("is confirmed by the receipt's link, which signs out every other browser", async () => {
    const email = fresh()
    const [intruder, owner] = [buyer(service), buyer(service)]
    const bought = await purchase(service, intruder, { email })
    const receipt = await emailTo(service, email, /receipt/)
    await owner.open(linkIn(receipt, 'verify_email'))
    await owner.submit('Confirm my email')
    assert.match(owner.text, /Your purchases/)
    for (const url of ['/account/', `/manage/${service.demo.app.client_id}/`, bought.url]) {
      const page = await intruder.open(url)
      assert.match(page.url, /^\/signin\//, url)
      assert.ok(!page.body.includes('key_'))
    }
    // The success page gives the intruder no new session either.
    assert.match((await intruder.open('/account/')).url, /^\/signin\//)
  })

  test('whose owner disowns the purchase is locked for everyone', async () => {
    const email = fresh()
    const [intruder, owner] = [buyer(service), buyer(service)]
    const bought = await purchase(service, intruder, { email })
    await owner.open(linkIn(await emailTo(service, email, /receipt/), 'not_me'))
    assert.match(textOf((await owner.submit('Lock the account')).body), /Account locked/)
    for (const agent of [intruder, owner]) {
      assert.match((await agent.open('/account/')).url, /^\/signin\//)
    }
    assert.ok(!(await intruder.open(bought.url)).body.includes('key_'))
  })

  test('is one account, in any number of purchases and spellings', async () => {
    const email = fresh()
    await purchase(service, buyer(service), { email: email.toUpperCase() })
    assert.match((await begin(buyer(service), email)).url, /\/sign-in$/)
    const users = await service.world.db.rows(
      sql`select id from users where lower(email) = ${email}`,
    )
    assert.equal(users.length, 1)
  })
})

test('cannot be bought for from a session of another person', async () => {
  const [victim, thief] = [await addOwner(), await addOwner()]
  await cancel(thief)
  const agent = buyer(service)
  await agent.open('/signin/')
  await agent.submit('Sign in', { email: thief, password: 'a password of the owner' })
  const cart = (await begin(agent, victim)).url
  assert.match(cart, /\/sign-in$/)
  await agent.open(cart.replace('sign-in', 'card'))
  await enterCard(agent)
  assert.equal((await agent.submit(/^Pay /)).url, `${cart}?notice=not_charged`)
  assert.deepEqual(await chargedAmounts(service, victim), [1260])
})

test('preserves every invariant', () => assertInvariants(service))
