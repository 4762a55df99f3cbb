import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/sql'
import {
  assertTooOften,
  enterPassword,
  isSignedIn,
  newEmail,
  PASSWORD,
  signUp,
} from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

/** Fills in the sign-up page and returns the browser. */
async function typeIn(email: string, password = PASSWORD, return_to = ''): Promise<Agent> {
  const agent = buyer(service)
  await agent.open(`/signup/${return_to ? `?return_to=${encodeURIComponent(return_to)}` : ''}`)
  await agent.submit('Create account', { email, password })
  return agent
}

const confirmation = async (email: string) =>
  linkIn(await emailTo(service, email, /^Confirm your email/), 'sign_up')

test('creates no account, session or sign-in before the email is confirmed', async () => {
  const email = newEmail()
  const agent = await typeIn(email)
  assert.match(agent.text, /Check your inbox/)
  assert.ok(!agent.cookies.has('__Host-session'))
  const path = await confirmation(email)
  await buyer(service).open(path)
  const count = sql`select id from users where email_normalized = ${email}`
  assert.deepEqual(await service.world.db.rows(count), [])
  assert.ok(!(await isSignedIn(await enterPassword(service, email))))

  await agent.open(path)
  await agent.submit('Confirm my email')
  assert.ok(await isSignedIn(agent))
  assert.ok(await isSignedIn(await enterPassword(service, email)))
  assert.equal((await agent.open(path)).status, 404)
  assert.ok(agent.text.includes(`You are signed in as ${email}.`))
  await agent.press('Go to your account')
  assert.equal(agent.page.url, '/account/')
  const user = await service.world.db.one<Record<string, unknown>>(sql`
    select created_via, email_verified_at is not null as is_proven from users
    where email_normalized = ${email}`)
  assert.deepEqual(user, { created_via: 'signup', is_proven: true })
})

test('continues to the return address, also from the sign-in page', async () => {
  const return_to = `/manage/${service.demo.app.client_id}/?next=http://localhost/`
  const agent = buyer(service)
  await agent.open(`/signin/?return_to=${encodeURIComponent(return_to)}`)
  await agent.press('Create an account')
  const email = newEmail()
  await agent.submit('Create account', { email, password: PASSWORD })
  await agent.open(await confirmation(email))
  assert.equal((await agent.submit('Confirm my email')).url, return_to)
})

test('does not redirect to an address of another site', async () => {
  for (const return_to of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
    const email = newEmail()
    const agent = await typeIn(email, PASSWORD, return_to)
    await agent.open(await confirmation(email))
    assert.equal((await agent.submit('Confirm my email')).url, '/account/')
  }
})

test('shows the same page, byte for byte, whether or not the email has an account', async () => {
  const { email: known } = await signUp(service)
  const bought = newEmail()
  await purchase(service, buyer(service), { email: bought })
  const pages = new Set<string>()
  for (const email of [known, bought, newEmail(), newEmail()]) {
    const { page } = await typeIn(email)
    const { 'x-request-id': _, date: __, ...headers } = page.headers
    const cut = page.body.replaceAll(email, 'person@example.com')
    headers['content-length'] = Number(headers['content-length']) - email.length
    pages.add(JSON.stringify({ status: page.status, headers, body: cut }))
  }
  assert.equal(pages.size, 1)
})

test('queries the database the same, whether or not the email has an account', async () => {
  const { email: known } = await signUp(service)
  const requested = async (email: string) => {
    const { db } = service.world
    const names: string[] = []
    const { tx } = db
    db.tx = async (work) =>
      await tx(async (inner) => {
        const noted = (statement: Parameters<typeof inner.run>[0]) => {
          names.push(statement.text.trim().slice(0, 40))
          return inner.run(statement)
        }
        return await work({ ...inner, run: noted })
      })
    try {
      await typeIn(email)
    } finally {
      db.tx = tx
    }
    return names
  }
  const first = await requested(newEmail())
  assert.ok(first.length > 0)
  assert.deepEqual(await requested(known), first)
})

test('an owner who signs up again gets an email that says so, and keeps the password', async () => {
  const { email } = await signUp(service)
  const other = await typeIn(email, 'a password of an attacker')
  const message = await emailTo(service, email, /^You already have a Purser account/)
  assert.ok(!message.includes('/link/sign_up/'))
  const owner = buyer(service)
  await owner.open(linkIn(message, 'sign_in'))
  await owner.submit('Sign in')
  assert.ok(await isSignedIn(owner))
  assert.ok(!(await isSignedIn(other)))
  assert.ok(!(await isSignedIn(await enterPassword(service, email, 'a password of an attacker'))))
  assert.ok(await isSignedIn(await enterPassword(service, email)))
})

test('a person who opens the email in another browser chooses a new password', async () => {
  const email = newEmail()
  const other = await typeIn(email, 'a password of an attacker')
  const owner = buyer(service)
  await owner.open(await confirmation(email))
  assert.match(owner.text, /started in another browser\. Choose a password here/)
  await owner.submit('Confirm my email')
  assert.equal(owner.page.status, 422)
  await owner.submit('Confirm my email', { password: PASSWORD })
  assert.ok(await isSignedIn(owner))
  assert.ok(!(await isSignedIn(other)))
  assert.ok(!(await isSignedIn(await enterPassword(service, email, 'a password of an attacker'))))
  assert.ok(await isSignedIn(await enterPassword(service, email)))
})

test('an email that is older than the account changes nothing in it', async () => {
  const email = newEmail()
  const early = await typeIn(email, 'an early password, forgotten')
  const path = await confirmation(email)
  service.clock.pass(60)
  const agent = await typeIn(email)
  await agent.open(await confirmation(email))
  await agent.submit('Confirm my email')
  await early.open(path)
  await early.submit('Confirm my email')
  assert.ok(await isSignedIn(await enterPassword(service, email)))
  assert.ok(
    !(await isSignedIn(await enterPassword(service, email, 'an early password, forgotten'))),
  )
})

test("a weak password, a breached one and the person's own email are rejected, with the reason", async () => {
  const email = 'marguerite@example.com'
  const cases: [password: string, reason: RegExp][] = [
    ['short', /Use at least 10 characters/],
    ['password1234', /This password is easy to guess/],
    ['qwertyuiop', /This password is easy to guess/],
    ['iloveyou123', /This password is easy to guess/],
    ['P@ssw0rd1234', /This password is easy to guess/],
    ['Marguerite@Example.com', /Do not use your email address/],
    ['x'.repeat(257), /Use at most 256 characters/],
  ]
  for (const [password, reason] of cases) {
    const { page } = await typeIn(email, password)
    assert.equal(page.status, 422, password)
    assert.match(textOf(page.body), reason)
    assert.ok(!page.body.includes(`value="${password}"`))
  }
  const { page } = await typeIn('no address', 'short')
  assert.match(textOf(page.body), /Enter an email address.*Use at least 10 characters/)
})

test('limits the emails to one address that a browser requests, and says so in every case', async () => {
  const { email: known } = await signUp(service)
  for (const email of [known, newEmail()]) {
    // F32: those of one browser; other browsers do not use up its limit.
    const agent = await typeIn(email)
    let page = agent.page
    for (let tries = 0; page.status === 200 && tries < 10; tries++) {
      await agent.open('/signup/')
      page = await agent.submit('Create account', { email, password: PASSWORD })
    }
    assertTooOften(page)
  }
})

test('sends no email to an unknown address, with the same response as for a known one', async () => {
  const { email: known } = await signUp(service)
  const unknown = newEmail()
  const bodies = new Set<string>()
  for (const email of [known, unknown]) {
    for (const button of ['Email me a sign-in link', 'I forgot my password']) {
      const agent = buyer(service)
      await agent.open('/signin/')
      const page = await agent.submit(button, { email })
      const { csrf_token = '' } = agent.form('Sign in')
      bodies.add(page.body.replaceAll(email, 'person').replaceAll(csrf_token, 'token'))
    }
  }
  assert.equal(bodies.size, 1)
  await emailTo(service, known, /^Set a new password/)
  const rows = await service.world.db.rows(
    sql`select 1 from dev_mailbox where recipient = ${unknown}`,
  )
  assert.deepEqual(rows, [])
})

// F36
test('a sign-up link contains the return path for its seven days', async () => {
  const email = newEmail()
  const return_to = `/manage/${service.demo.app.client_id}/?next=http://localhost/`
  const agent = await typeIn(email, PASSWORD, return_to)
  const path = linkIn(await emailTo(service, email, /^Confirm your email/), 'sign_up')
  service.clock.pass(7 * 86_400 - 60)
  await agent.open(path)
  await agent.submit('Confirm my email')
  const onwards = /url=(\S+)/.exec(String(agent.page.headers.refresh ?? ''))?.[1]
  assert.equal(onwards ?? agent.page.url, return_to)
})
