/** Sign-ins of people without an account, or without a confirmed email. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addAuthenticator, codeOf, newEmail, PASSWORD, signUp } from '../support/account.ts'
import { emailTo, linkIn } from '../support/mailbox.ts'
import { purchase } from '../support/purchase.ts'
import {
  addApp,
  browser,
  discover,
  entitlementOf,
  exchange,
  openSignInTest,
  returnPathOf,
  type SignInTest,
  signInToApp,
  startSignIn,
} from '../support/sign-in.ts'

let setup: SignInTest

before(async () => {
  setup = await openSignInTest()
})

after(async () => {
  await setup.close()
})

async function tokensGiven(): Promise<number> {
  const { rows } = await setup.world.db.raw(`select count(*) from oidc_records
    where kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken')`)
  return (rows as { count: number }[])[0]!.count
}

test('a new person verifies the email before any token, agrees, and is on the free plan', async () => {
  const agent = browser(setup)
  const email = newEmail()
  const attempt = await startSignIn(setup.app_side, setup.callback)
  await agent.open(attempt.url.href)
  await agent.press('Create an account')
  const before = await tokensGiven()
  await agent.submit('Create account', { email, password: PASSWORD })
  await agent.open(linkIn(await emailTo(setup, email, /^Confirm your email/), 'sign_up'))
  await agent.submit('Confirm my email')
  assert.match(agent.text, /Sign in to Tidepool/)
  assert.equal(await tokensGiven(), before)
  const { url } = await agent.submit('Allow')
  const tokens = await exchange(setup.app_side, attempt, url)
  assert.equal((await entitlementOf(setup, tokens.access_token)).json().status, 'free')
})

test('asks for the second factor before the app receives anything', async () => {
  const owner = await signUp(setup)
  const { secret } = await addAuthenticator(setup, owner.agent)
  const agent = browser(setup)
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const requested = await agent.open(attempt.url.href)
  const here = returnPathOf(requested.url)
  await agent.submit('Sign in', { email: owner.email, password: PASSWORD })
  assert.equal(agent.page.url, '/signin/second-factor')
  assert.match((await agent.tab().open(here)).url, /^\/signin\//)
  await agent.submit('Sign in', { code: codeOf(setup, secret) })
  const { url } = await agent.submit('Allow')
  assert.ok((await exchange(setup.app_side, attempt, url)).access_token)
})

test('a buyer verifies the email on the way into another app, and starts over with it', async () => {
  const email = newEmail()
  const agent = browser(setup)
  await purchase(setup, agent, { email })
  const bought = await signInToApp(setup, agent)
  const other = await addApp(setup, { redirect_uris: [setup.callback] })
  const side = await discover(setup, other)
  const attempt = await startSignIn(side, setup.callback)
  await agent.open(attempt.url.href)
  await agent.submit('Email me a sign-in link', { email })
  await agent.open(linkIn(await emailTo(setup, email, /sign-in link/), 'sign_in'))
  await agent.submit('Sign in')
  assert.match(agent.text, /Sign in to Driftwood/)
  const { url } = await agent.submit('Allow')
  assert.ok((await exchange(side, attempt, url)).access_token)
  assert.equal((await entitlementOf(setup, bought.access_token)).statusCode, 401)
  const again = await signInToApp(setup, agent)
  assert.equal(again.claims()!.sub, bought.claims()!.sub)
  assert.equal((await entitlementOf(setup, again.access_token)).json().status, 'active')
})
