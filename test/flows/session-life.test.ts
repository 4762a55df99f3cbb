import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { enterPassword, isSignedIn, signUp } from '../support/account.ts'
import { buyer } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const SESSION = '__Host-session'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

const enter = (email: string) => enterPassword(service, email)

test('a session is a random secret of 256 bits, a new one at each sign-in', async () => {
  const { email } = await signUp(service)
  const secrets = new Set<string>()
  for (let time = 0; time < 5; time++) {
    const secret = (await enter(email)).cookies.get(SESSION) ?? ''
    assert.equal(Buffer.from(secret, 'base64url').length, 32)
    secrets.add(secret)
  }
  assert.equal(secrets.size, 5)
})

test('the secret of a session is invalid after its sign-out', async () => {
  const { email } = await signUp(service)
  const agent = await enter(email)
  const thief = buyer(service)
  thief.cookies.set(SESSION, agent.cookies.get(SESSION)!)
  assert.ok(await isSignedIn(thief))
  await agent.open('/account/')
  const { csrf_token = '' } = agent.form('Sign out')
  await service.app.inject({
    method: 'POST',
    url: '/signout/',
    headers: { cookie: agent.cookie, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ csrf_token }).toString(),
  })
  assert.ok(!(await isSignedIn(thief)))
})

test('a session ends after thirty days, however often it is used', async () => {
  const { email } = await signUp(service)
  const agent = await enter(email)
  for (let day = 1; day < 30; day++) {
    service.clock.pass(DAY)
    assert.ok(await isSignedIn(agent), `day ${day}`)
  }
  service.clock.pass(DAY)
  assert.ok(!(await isSignedIn(agent)))
})

test('a password stays valid until its owner changes it, even years later', async () => {
  const { email } = await signUp(service)
  service.clock.pass(3 * 365 * DAY)
  assert.ok(await isSignedIn(await enter(email)))
})
