import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addAuthenticator, codeOf, enterPassword, PASSWORD, signUp } from '../support/account.ts'
import { type Agent, type Seen, textOf } from '../support/agent.ts'
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

/** A page that says "too often", and when to come back: within the quarter of an hour. */
function assertTooOften({ status, headers, body }: Seen): void {
  assert.equal(status, 429)
  assert.match(textOf(body), /many tries in a short time/)
  const seconds = Number(headers['retry-after'])
  assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 900, `${seconds} seconds`)
}

test('a right password takes no try, however often its owner signs in', async () => {
  const { email } = await signUp(service)
  for (let time = 0; time < 12; time++) {
    assert.equal((await tryAt(buyer(service), email, PASSWORD)).url, '/account/')
  }
})

test('ten wrong passwords close an account to everybody, and the right one too', async () => {
  const { email } = await signUp(service)
  for (let time = 0; time < 10; time++) {
    // What is right in between gives its own try back, and none of those that were wrong.
    if (time === 5) assert.equal((await tryAt(buyer(service), email, PASSWORD)).url, '/account/')
    assert.equal((await tryAt(buyer(service), email, `wrong ${time}`)).status, 422)
  }
  assertTooOften(await tryAt(buyer(service), email, PASSWORD))
})

test('a hundred wrong passwords close a network, though its own accounts were right in between', async () => {
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

test('every page of a sign-in that says "too often" says when to come back', async () => {
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
  let asked = await other.submit('Email me a sign-in link', { email })
  for (let time = 0; asked.status === 200 && time < 10; time++) {
    asked = await other.submit('Email me a sign-in link', { email })
  }
  assertTooOften(asked)
  await other.open('/signup/')
  assertTooOften(await other.submit('Create account', { email, password: PASSWORD }))
})
