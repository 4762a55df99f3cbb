import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isSignedIn, newEmail, PASSWORD, signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInHere } from '../support/sign-in.ts'

const LISTING = '/dashboard/apps/tidepool/listing/'
const TEN_MINUTES = 600

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

async function signOut(agent: Agent): Promise<void> {
  await agent.open('/account/')
  await agent.submit('Sign out')
}

async function signIn(agent: Agent, person: { email: string; password: string }): Promise<void> {
  await agent.open('/signin/')
  await signInHere(agent, person)
}

describe('a form that is open in one tab', () => {
  test('is saved after its owner authenticated again in another', async () => {
    const { seller } = service.demo
    const tab = await signedIn(service, seller)
    await tab.open(LISTING)
    service.clock.pass(TEN_MINUTES)
    const other = await tab.openTab('/account/security/password')
    assert.match(other.page.url, /^\/account\/confirm\?/)
    await other.submit('Confirm', { password: seller.password })
    assert.equal(other.page.url, '/account/security/password')
    await tab.submit('Save listing', { tagline: 'Low water, by the hour' })
    assert.equal(tab.page.status, 200)
    await tab.open(LISTING)
    assert.match(tab.page.body, /Low water, by the hour/)
  })

  test('is saved after its owner signed out and in again in another', async () => {
    const { seller } = service.demo
    const tab = await signedIn(service, seller)
    await tab.open(LISTING)
    const other = tab.tab()
    await signOut(other)
    await signIn(other, seller)
    await tab.submit('Save listing', { tagline: 'Tides for walkers' })
    await tab.open(LISTING)
    assert.match(tab.page.body, /Tides for walkers/)
  })

  test('is refused after another account signed in', async () => {
    const [first, second] = [await signUp(service, newEmail()), await signUp(service, newEmail())]
    const tab = first.agent
    await tab.open('/account/security/')
    const other = tab.tab()
    await signOut(other)
    await signIn(other, { email: second.email, password: PASSWORD })
    assert.equal((await tab.submit('Sign out')).status, 403)
    assert.match(tab.text, /This form is no longer valid/)
    assert.ok(await isSignedIn(other))
  })

  test('asks its owner to sign in after they signed out', async () => {
    const tab = await signedIn(service, service.demo.seller)
    await tab.open(LISTING)
    await signOut(tab.tab())
    await tab.submit('Save listing', { tagline: 'Not saved' })
    assert.match(tab.page.url, /^\/signin\//)
    await tab.submit('Sign in', { ...service.demo.seller })
    await tab.open(LISTING)
    assert.doesNotMatch(tab.page.body, /Not saved/)
  })

  test('goes home if it signs out what another tab has signed out already', async () => {
    const { agent: tab } = await signUp(service, newEmail())
    await tab.open('/account/')
    await signOut(tab.tab())
    const { status, url } = await tab.submit('Sign out')
    assert.deepEqual({ status, url }, { status: 200, url: '/' })
  })

  test('is refused if another site sends it, also where no one is signed in', async () => {
    const { agent } = await signUp(service, newEmail())
    await agent.open('/account/')
    const { csrf_token = '' } = agent.form('Sign out')
    await signOut(agent)
    const { statusCode } = await service.app.inject({
      method: 'POST',
      url: '/signout/',
      headers: {
        cookie: agent.cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      },
      payload: new URLSearchParams({ csrf_token }).toString(),
    })
    assert.equal(statusCode, 403)
  })
})
