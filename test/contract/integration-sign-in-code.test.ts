/** The snippets of an app with hosted sign-in, run against the service. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { snippetsOf } from '#surfaces/dashboard/snippets'
import { browser, openSignInTest, type SignInTest, signInHere } from '../support/sign-in.ts'
import { listen, loadSnippet } from '../support/snippet-project.ts'

// Guards point 9 of issue 11.

let setup: SignInTest
before(async () => {
  setup = await openSignInTest()
  process.env.PURSER_CLIENT_SECRET = setup.demo.app.client_secret
})
after(() => setup.close())

function codeOf(name: string): string {
  const { base_url, app } = setup.demo
  const snippets = snippetsOf('hosted_sign_in', {
    base_url,
    client_id: app.client_id,
    oauth_login_url: `${setup.home}login`,
    redirect_uri: setup.callback,
    price_id: undefined,
  })
  return snippets.find((each) => each.name === name)!.files[0]!.code
}

test('the Express snippet signs a buyer in and reads their plan', async () => {
  using site = await loadSnippet<{ app: RequestListener }>(codeOf('express'))
  await using server = await listen(site.app)
  const started = await fetch(`${server.url}/login`, { redirect: 'manual' })
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!
  const agent = browser(setup)
  await agent.open(started.headers.get('location')!)
  await signInHere(agent, setup.demo.buyer)
  const { url } = await agent.submit('Allow')
  assert.ok(url.startsWith(`${setup.callback}?`))
  const { pathname, search } = new URL(url)
  const answer = await fetch(`${server.url}${pathname}${search}`, { headers: { cookie } })
  const { sub, plan } = (await answer.json()) as { sub: string; plan: { status: string } }
  assert.match(sub, /\S{20}/)
  assert.match(plan.status, /^(free|none|active)$/)
})

test('the client snippet returns null for a token that is not valid', async () => {
  using purser = await loadSnippet<{ planOf(token: string): Promise<unknown> }>(
    codeOf('typescript'),
  )
  assert.equal(await purser.planOf('not-a-token'), null)
})

test('the curl snippet asks the endpoint of the plan', async () => {
  const env = { ...process.env, ACCESS_TOKEN: 'not-a-token' }
  const { stdout } = await promisify(execFile)('sh', ['-euc', codeOf('curl')], { env })
  assert.equal(JSON.parse(stdout).error, 'invalid_token')
})
