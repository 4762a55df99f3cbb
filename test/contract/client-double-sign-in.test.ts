import assert from 'node:assert/strict'
import { type Case, outcomeOf, testBoth } from './client-cases.ts'
import type { Subject } from './client-subjects.ts'

/** Signs a new person in. */
async function signIn(subject: Subject, facts = { licensed: true }, scope?: string) {
  const { sign_in, redirect_uri } = subject
  const person = await subject.person(facts)
  const { url, login } = await sign_in.authorizationLink({ redirect_uri, scope })
  const arrived = await person.agree(url)
  return { person, arrived, login, ...(await sign_in.callback(arrived, login)) }
}

const entitlement = {
  entitled: true,
  version: 'Pro',
  product_public_id: 'prod_…',
  product_id: 'prod_…',
  status: 'active',
  is_free: false,
  period_end: 'day',
}

// The person cancels before they ever agreed: after that, the service asks no question.
const SIGN_IN: Record<string, Case> = {
  'a person who cancels': {
    run: async (subject) => {
      const person = await subject.person({ licensed: false })
      const { sign_in, redirect_uri } = subject
      const { url, login } = await sign_in.authorizationLink({ redirect_uri })
      return sign_in.callback(await person.cancel(url), login)
    },
    expected: ['SignInError', null, 'access_denied'],
  },
  'the entitlement of a buyer': {
    run: async (subject) => subject.client.entitlement((await signIn(subject)).tokens.access_token),
    expected: entitlement,
  },
  'the entitlement of a person without a license': {
    run: async (subject) =>
      subject.client.entitlement((await signIn(subject, { licensed: false })).tokens.access_token),
    expected: { ...entitlement, version: 'Free', status: 'free', is_free: true, period_end: null },
  },
  'a token that was never issued': {
    run: ({ client }) => client.entitlement('never-issued'),
    expected: ['PurserError', 401, 'invalid_token'],
  },
  'the user of a token that a page of another origin sends': {
    run: async (subject) => {
      const { tokens } = await signIn(subject)
      const authorization = `Bearer ${tokens.access_token}`
      const headers = { authorization, origin: 'https://page.example' }
      const answer = await subject.fetch(`${subject.client.base_url}/o/me`, { headers })
      return [answer.status, ((await answer.json()) as { error: string }).error]
    },
    expected: [400, 'invalid_request'],
  },
  'a token without the scope': {
    run: async (subject) => {
      const { tokens } = await signIn(subject, { licensed: true }, 'openid')
      return subject.client.entitlement(tokens.access_token)
    },
    expected: ['InsufficientScopeError', 403, 'insufficient_scope'],
  },
  'an access token after an hour': {
    run: async (subject) => {
      const { tokens } = await signIn(subject)
      subject.pass(3601)
      return subject.client.entitlement(tokens.access_token)
    },
    expected: ['PurserError', 401, 'invalid_token'],
  },
  'a token while the add-on is off': {
    run: async (subject) => {
      const { tokens } = await signIn(subject)
      await subject.setAddOn(false)
      const outcome = await outcomeOf(subject.client.entitlement(tokens.access_token))
      await subject.setAddOn(true)
      return outcome
    },
    expected: ['ServiceNotEnabledError', 403, 'service_not_enabled'],
  },
  'refreshed tokens': {
    run: async (subject) => {
      const { tokens } = await signIn(subject)
      const fresh = await subject.sign_in.refresh(tokens)
      assert.notEqual(fresh.refresh_token, tokens.refresh_token)
      assert.equal(fresh.sub, tokens.sub)
      const { status } = await subject.client.entitlement(fresh.access_token)
      return { status, scope: fresh.scope.split(' ').sort().join(' ') }
    },
    expected: { status: 'active', scope: 'entitlements openid' },
  },
  'a refresh by two processes of an app at once': {
    run: async (subject) => {
      const { tokens } = await signIn(subject)
      const both = [subject.sign_in.refresh(tokens), subject.another.refresh(tokens)]
      const [one, other] = await Promise.all(both)
      const { status } = await subject.client.entitlement(one?.access_token ?? '')
      return { status, also: (await subject.client.entitlement(other?.access_token ?? '')).status }
    },
    expected: { status: 'active', also: 'active' },
  },
  'a refresh token a minute after it was replaced': {
    run: async (subject) => {
      const { tokens } = await signIn(subject)
      await subject.sign_in.refresh(tokens)
      subject.pass(60)
      return subject.another.refresh(tokens)
    },
    expected: ['SignInError', 400, 'invalid_grant'],
  },
  'a code that is used twice': {
    run: async (subject) => {
      const { arrived, login } = await signIn(subject)
      return subject.sign_in.callback(arrived, login)
    },
    expected: ['SignInError', 400, 'invalid_grant'],
  },
  'a token after the person signed out': {
    run: async (subject) => {
      const { person, tokens } = await signIn(subject)
      const post_logout_redirect_uri = subject.home
      await person.signOut(await subject.sign_in.logoutLink(tokens, { post_logout_redirect_uri }))
      await assert.rejects(subject.sign_in.refresh(tokens), { code: 'invalid_grant' })
      return subject.client.entitlement(tokens.access_token)
    },
    expected: ['PurserError', 401, 'invalid_token'],
  },
}

testBoth({ 'sign-in': SIGN_IN })
