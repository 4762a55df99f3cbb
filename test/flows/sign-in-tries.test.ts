import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/sql'
import {
  addAuthenticator,
  assertTooOften,
  codeOf,
  enterPassword,
  newEmail,
  PASSWORD,
  signUp,
} from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

const tryAt = async (agent: Agent, email: string, password: string) => {
  await agent.open('/signin/')
  return await agent.submit('Sign in', { email, password })
}

test('a correct password uses up no attempt, however often its owner signs in', async () => {
  const { email } = await signUp(service)
  for (let time = 0; time < 12; time++) {
    assert.equal((await tryAt(buyer(service), email, PASSWORD)).url, '/account/')
  }
})

test('an empty password is no attempt, and the field says so', async () => {
  const { email } = await signUp(service)
  const agent = buyer(service)
  for (let time = 0; time < 8; time++) {
    const page = await tryAt(agent, email, '')
    assert.equal(page.status, 422)
    assert.match(textOf(page.body), /Enter your password\./)
    assert.match(page.body, /<input[^>]*name="password"[^>]*aria-invalid="true"/)
    assert.doesNotMatch(textOf(page.body), /incorrect|Too many/)
  }
  assert.equal((await tryAt(agent, email, PASSWORD)).url, '/account/')
})

test('an email that is none is an error of its field', async () => {
  const page = await tryAt(buyer(service), 'robin', PASSWORD)
  assert.equal(page.status, 422)
  assert.match(page.body, /<input[^>]*name="email"[^>]*aria-invalid="true"/)
})

// F32
test('after five wrong passwords a network waits, twice as long each time, and others do not', async () => {
  const { email } = await signUp(service)
  const attacker = buyer(service)
  for (let time = 0; time < 6; time++) {
    assert.equal((await tryAt(attacker, email, `wrong ${time}`)).status, 422)
  }
  const waiting = await tryAt(attacker, email, PASSWORD)
  assertTooOften(waiting)
  assert.ok(Number(waiting.headers['retry-after']) <= 2)
  assert.equal((await tryAt(buyer(service), email, PASSWORD)).url, '/account/')
})

// F32
test('a hundred attacks from a hundred networks do not lock the owner out of password or link', async () => {
  const { email, agent: owner } = await signUp(service)
  await owner.submit('Sign out')
  for (let time = 0; time < 100; time++) {
    assert.equal((await tryAt(buyer(service), email, `wrong ${time}`)).status, 422)
  }
  for (let time = 0; time < 20; time++) {
    const other = buyer(service)
    await other.open('/signin/')
    assert.equal((await other.submit('Email me a sign-in link', { email })).status, 200)
  }
  const emails = await service.world.db.one<{ count: number }>(sql`select count(*) from emails
    where kind = 'sign_in' and subject_id = ${email}`)
  assert.equal(emails.count, 8, 'the mailbox is not flooded')
  await owner.open('/signin/')
  await owner.submit('Email me a sign-in link', { email })
  const after = await service.world.db.one<{ count: number }>(sql`select count(*) from emails
    where kind = 'sign_in' and subject_id = ${email}`)
  assert.equal(after.count, 9, 'a browser that is known has links of its own')
  assert.equal((await tryAt(buyer(service), email, PASSWORD)).url, '/account/')
})

// F32
test('a browser in which the owner signed in before has a limit of its own, apart from unknown browsers', async () => {
  const { email, agent: owner } = await signUp(service)
  await owner.submit('Sign out')
  const unknown = { name: 'sign-in-unknown-browser', points: 300, seconds: 3600 }
  await service.world.limits.consume(unknown, email, 300)
  assertTooOften(await tryAt(buyer(service), email, PASSWORD))
  assert.equal((await tryAt(owner, email, PASSWORD)).url, '/account/')
  // The note in that browser says whose it is, and is signed: for another account it is worth
  // nothing.
  const { email: other } = await signUp(service)
  await service.world.limits.consume(unknown, other, 300)
  assertTooOften(await tryAt(owner, other, PASSWORD))
})

test('a hundred wrong passwords block a network, even with successful sign-ins in between', async () => {
  const { email } = await signUp(service)
  const agent = buyer(service)
  await agent.open('/signin/')
  const address = '10.250.0.1'
  const { csrf_token } = agent.form('Sign in')
  const send = (fields: Record<string, string>) =>
    service.app.inject({
      method: 'POST',
      url: '/signin/',
      remoteAddress: address,
      headers: {
        cookie: agent.cookie,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'text/html',
      },
      payload: new URLSearchParams({ csrf_token: csrf_token!, ...fields }).toString(),
    })
  for (let time = 0; time < 100; time++) {
    if (time % 25 === 0) {
      assert.equal((await send({ email, password: PASSWORD })).statusCode, 303)
    }
    const wrong = { email: `guessed-${time}@example.com`, password: 'wrong' }
    assert.equal((await send(wrong)).statusCode, 422)
  }
  const refused = await send({ email, password: PASSWORD })
  assert.equal(refused.statusCode, 429)
  assert.ok(Number(refused.headers['retry-after']) > 0)
})

test('every page of a sign-in that says "too often" says when to try again', async () => {
  const { email, agent: owner } = await signUp(service)
  const { secret } = await addAuthenticator(service, owner)
  const agent = await enterPassword(service, email)
  for (let guess = 0; guess < 5; guess++) await agent.submit('Sign in', { code: '000000' })
  assertTooOften(await agent.submit('Sign in', { code: codeOf(service, secret) }))

  await owner.open('/account/confirm')
  assertTooOften(
    await owner.submit('Confirm', { password: PASSWORD, code: codeOf(service, secret) }),
  )

  const other = buyer(service)
  await other.open('/signin/')
  let requested = await other.submit('Email me a sign-in link', { email })
  for (let time = 0; requested.status === 200 && time < 10; time++) {
    requested = await other.submit('Email me a sign-in link', { email })
  }
  assertTooOften(requested)
  await other.open('/signup/')
  assertTooOften(await other.submit('Create account', { email, password: PASSWORD }))
})

// F12
test('each page of an account that refuses for now names the wait of its Retry-After header', async () => {
  const { agent } = await signUp(service)
  await agent.open('/account/security/')
  await agent.submit('Set up an authenticator app')
  for (let time = 0; time < 10; time++) {
    assert.equal((await agent.submit('Turn it on', { code: '000000' })).status, 422)
  }
  assertTooOften(await agent.submit('Turn it on', { code: '000000' }))

  for (let time = 0; time < 4; time++) {
    await agent.open('/account/security/email')
    await agent.submit('Send confirmation email', { email: newEmail() })
    assert.equal(agent.page.status, 200)
  }
  await agent.open('/account/security/email')
  assertTooOften(await agent.submit('Send confirmation email', { email: newEmail() }))

  service.clock.pass(600)
  await agent.open('/account/security/email')
  for (let time = 0; time < 6; time++) {
    assert.equal((await agent.submit('Confirm', { password: 'wrong' })).status, 422)
  }
  assertTooOften(await agent.submit('Confirm', { password: PASSWORD }))
})
