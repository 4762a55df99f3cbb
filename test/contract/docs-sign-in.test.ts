import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recipesOf } from '#surfaces/docs/sign-in'
import { textOf } from '../support/agent.ts'
import { openTestService, type TestService } from '../support/service.ts'

// F38: sellers had no page on hosted sign-in, and the default scope of a library got them a 403.

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service?.close())

test('the page on hosted sign-in names what discovery says: issuer, scopes, PKCE, sign-out', async () => {
  const { app, world } = service
  const { base_url } = world.config
  const answer = await app.inject('/docs/sign-in/')
  assert.equal(answer.statusCode, 200)
  const text = textOf(answer.body)
  const found = (await app.inject('/o/.well-known/openid-configuration')).json()
  assert.ok(text.includes(`Issuer ${found.issuer} `))
  assert.ok(text.includes(`${found.issuer}/.well-known/openid-configuration`))
  assert.ok(text.includes(found.end_session_endpoint))
  assert.deepEqual(found.code_challenge_methods_supported, ['S256'])
  for (const scope of ['openid', 'entitlements']) assert.ok(found.scopes_supported.includes(scope))
  for (const method of ['client_secret_basic', 'client_secret_post']) {
    assert.ok(found.token_endpoint_auth_methods_supported.includes(method))
    assert.ok(text.includes(method))
  }
  assert.ok(text.includes(`${base_url}/licensing/entitlement/`))
})

test('each example on hosted sign-in has the issuer, asks for both scopes and uses PKCE', () => {
  const recipes = recipesOf('https://purser.example')
  assert.deepEqual(
    recipes.map(({ id }) => id),
    ['auth-js', 'openid-client'],
  )
  for (const { code } of recipes) {
    assert.match(code, /'https:\/\/purser\.example\/o'/)
    assert.match(code, /scope: 'openid entitlements'/)
    assert.match(code, /pkce/i)
  }
})
