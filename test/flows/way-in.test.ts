import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { homeFor } from '#http/home'
import { enterPassword, signUp } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import { buyer, purchase } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

// Guards F53
describe('a person who signs in with nothing to return to', () => {
  test('arrives at the home of their first role', () => {
    const nothing_else = {
      is_staff: false,
      is_seller: false,
      is_affiliate: false,
      has_purchases: false,
    }
    assert.equal(homeFor(nothing_else), '/account/')
    assert.equal(homeFor({ ...nothing_else, has_purchases: true }), '/account/')
    assert.equal(homeFor({ ...nothing_else, is_affiliate: true }), '/affiliate/')
    assert.equal(homeFor({ ...nothing_else, is_affiliate: true, has_purchases: true }), '/account/')
    assert.equal(homeFor({ ...nothing_else, is_affiliate: true, is_seller: true }), '/dashboard/')
    assert.equal(homeFor({ ...nothing_else, is_seller: true, is_staff: true }), '/admin/')
  })

  test('arrives there by password, by second factor and by email', async () => {
    const { demo } = service
    assert.equal((await signedIn(service, demo.operator)).page.url, '/admin/')
    assert.equal((await signedIn(service, demo.seller)).page.url, '/dashboard/')
    assert.equal((await signedIn(service, demo.buyer)).page.url, '/account/')
    const { email, agent } = await signUp(service)
    await agent.open('/affiliate/')
    await agent.submit('Become an affiliate', { code: 'first-code' })
    assert.equal((await enterPassword(service, email)).page.url, '/affiliate/')
    await purchase(service, agent, { email })
    assert.equal((await enterPassword(service, email)).page.url, '/account/')
  })
})

// Guards F53
describe('every page of a signed-in person', () => {
  const signsOut = (body: string) => /action="\/signout\/"/.test(body) && /Sign out/.test(body)

  test('has a sign-out button, and links to each of their roles', async () => {
    const { email, agent } = await signUp(service)
    await addSellerWithApp(service, { email, slug: 'lighthouse' })
    await agent.open('/affiliate/')
    await agent.submit('Become an affiliate', { code: 'second-code' })
    const price = service.demo.app.prices[0]!
    const pages = [
      '/',
      '/apps/tidepool/',
      '/terms/',
      '/docs/agents/',
      '/docs/sign-in/',
      '/api/v1/docs/',
      '/account/',
      '/account/connections/',
      '/account/security/',
      '/account/security/password',
      '/dashboard/',
      '/dashboard/payouts/',
      '/dashboard/apps/lighthouse/plans/',
      '/dashboard/apps/lighthouse/sales/',
      '/affiliate/',
      `/buy/${price.public_id}/`,
      '/signin/',
      '/manage/app_nothing/',
      '/nowhere/',
    ]
    for (const path of pages) {
      const page = await agent.open(path)
      assert.ok(signsOut(page.body), `${path} has a sign-out button`)
      for (const home of ['/account/', '/dashboard/', '/affiliate/']) {
        assert.ok(page.body.includes(`href="${home}"`), `${path} links to ${home}`)
      }
      assert.ok(!page.body.includes('href="/admin/"'), `${path} has no link to the admin area`)
      assert.match(String(page.headers['cache-control']), /no-store/, path)
    }
    await agent.open('/')
    await agent.submit('Sign out')
    assert.match((await agent.open('/account/')).url, /^\/signin\//)
    const home = await agent.open('/')
    assert.ok(!signsOut(home.body))
    assert.match(textOf(home.body), /Sign in/)
  })

  test('and so does the admin area', async () => {
    const agent = await signedIn(service, service.demo.operator)
    for (const path of ['/admin/', '/admin/tax/', '/']) {
      const { body } = await agent.open(path)
      assert.ok(signsOut(body), path)
      assert.ok(body.includes('href="/admin/"'), path)
    }
  })

  test('has neither for a visitor who is not signed in', async () => {
    for (const path of ['/', '/terms/', '/nowhere/']) {
      assert.ok(!signsOut((await buyer(service).open(path)).body), path)
    }
  })
})
