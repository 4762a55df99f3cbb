/** The email with which an app expects a person to sign in (OpenID Connect: login_hint). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browser, openSignInTest, type SignInTest, startSignIn } from '../support/sign-in.ts'

let setup: SignInTest
before(async () => {
  setup = await openSignInTest()
})
after(() => setup.close())

/** The email on the pages for sign-in and sign-up, of a sign-in that the app hints this email. */
async function emailsFor(login_hint: string): Promise<string[]> {
  const { url } = await startSignIn(setup.app_side, setup.callback, { login_hint })
  const agent = browser(setup)
  const signIn = await agent.open(url.pathname + url.search)
  const [, signUpPath] = /href="(\/signup\/[^"]+)"/.exec(signIn.body)!
  const signUp = await agent.open(signUpPath!.replaceAll('&amp;', '&'))
  return [signIn, signUp].map(({ body }) => {
    const [field] = /<input[^>]* name="email"[^>]*>/.exec(body)!
    return /value="([^"]*)"/.exec(field)?.[1] ?? ''
  })
}

test('the pages for sign-in and sign-up fill in the email that the app expects', async () => {
  assert.deepEqual(await emailsFor('ana@example.com'), ['ana@example.com', 'ana@example.com'])
})

test('a hint that is no email is ignored', async () => {
  for (const hint of ['ana', '"><script>', `${'x'.repeat(300)}@example.com`]) {
    assert.deepEqual(await emailsFor(hint), ['', ''], hint)
  }
})

test('an email that the person typed is kept where the form is shown again', async () => {
  const { url } = await startSignIn(setup.app_side, setup.callback, {
    login_hint: 'ana@example.com',
  })
  const agent = browser(setup)
  await agent.open(url.pathname + url.search)
  const again = await agent.submit('Sign in', { email: 'ben@example.com', password: 'not mine' })
  assert.match(again.body, /value="ben@example\.com"/)
  assert.doesNotMatch(again.body, /value="ana@example\.com"/)
})
