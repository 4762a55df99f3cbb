import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VNode } from 'preact'
import { renderToStaticMarkup } from 'preact-render-to-string'
import { proofKey } from '../../src/platform/design/browser/link-form.ts'
import { AuthorizationForm, BuyLinkForm } from '../../src/surfaces/docs/link-forms.tsx'

const VALUES = {
  base_url: 'https://purser.example',
  issuer: 'https://purser.example/o',
  demo_prices: 'prc_1 $12.00 per month\nprc_2 $180.00 once',
  demo_site_url: 'http://localhost:4001',
  demo_sign_in_client_id: 'app_demo',
  demo_sign_in_url: 'http://localhost:4002',
}

test('the form of buy links has every price of the demo, and a link that needs no script', () => {
  const html = renderToStaticMarkup(BuyLinkForm({ values: VALUES })!)
  assert.match(html, /<a href="https:\/\/purser\.example\/buy\/prc_1\/">\$12\.00 per month<\/a>/)
  assert.match(
    html,
    /<form [^>]*data-link="https:\/\/purser\.example\/buy\/\{price\}\/"[^>]*hidden/,
  )
  for (const id of ['prc_1', 'prc_2']) assert.match(html, new RegExp(`<option value="${id}"`))
  assert.match(html, /value="http:\/\/localhost:4001\/return"/)
})

test('the form of authorization links asks as the app of the demo does, with PKCE', () => {
  const html = renderToStaticMarkup(AuthorizationForm({ values: VALUES })!)
  assert.match(html, /data-link="https:\/\/purser\.example\/o\/auth" data-pkce/)
  assert.match(html, /name="query\.client_id" value="app_demo"/)
  assert.match(html, /name="query\.redirect_uri" value="http:\/\/localhost:4002\/auth\/callback"/)
})

test('the link of each form leads to a page before its script has built one', () => {
  const linkOf = (form: VNode | null) =>
    /<a [^>]*data-link-result[^>]*href="([^"]*)"/.exec(renderToStaticMarkup(form!))?.[1]
  assert.equal(linkOf(BuyLinkForm({ values: VALUES })), 'https://purser.example/buy/prc_1/')
  assert.equal(linkOf(AuthorizationForm({ values: VALUES })), 'http://localhost:4002/')
})

test('an installation without the demo has neither form', () => {
  const values = { ...VALUES, demo_prices: '', demo_sign_in_client_id: '' }
  assert.equal(BuyLinkForm({ values }), null)
  assert.equal(AuthorizationForm({ values }), null)
})

test('the challenge is that of RFC 7636', async () => {
  assert.deepEqual(await proofKey('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'), [
    ['query.code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    ['query.code_challenge_method', 'S256'],
  ])
})
