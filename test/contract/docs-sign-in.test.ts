import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { authJsCode } from '#http/auth-js-code'
import { textOf } from '../support/agent.ts'
import { codeOfPage } from '../support/docs-blocks.ts'
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

test('the page on OpenID Connect names every endpoint where discovery has it', async () => {
  const { app } = service
  const text = textOf((await app.inject('/docs/api/openid-connect/')).body)
  const found = (await app.inject('/o/.well-known/openid-configuration')).json()
  const endpoints = Object.entries(found).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))
  assert.ok(endpoints.length >= 6)
  for (const [name, address] of endpoints) assert.ok(text.includes(String(address)), name)
})

test('each page of a sign-in library asks for both scopes and uses PKCE', () => {
  for (const name of ['auth-js', 'openid-client', 'passport', 'authlib', 'go']) {
    const text = readFileSync(`docs/site/sign-in/${name}.md`, 'utf8')
    assert.match(text, /\{\{issuer\}\}/, name)
    assert.match(text, /'openid entitlements'|"openid entitlements"|"openid", "entitlements"/, name)
    assert.match(text, /pkce/i, name)
  }
})

test('the page on Go logs each error that it answers with 502', () => {
  const code = codeOfPage('docs/site/sign-in/go.md', 'main.go', {})
  const failing = code.split(/^func /m).filter((each) => each.includes('http.StatusBadGateway'))
  assert.ok(failing.length > 0)
  for (const each of failing) assert.match(each, /log\.Printf/)
})

test('the code for Auth.js is that of the integration page, which a test runs', () => {
  const text = readFileSync('docs/site/sign-in/auth-js.md', 'utf8')
  assert.ok(text.includes(authJsCode("'{{issuer}}'", 'process.env.PURSER_CLIENT_ID')))
})
