/**
 * One table of cases for the service and for the client's test double: a double that differs would
 * make sellers' tests pass for apps that fail.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type EntitlementStatus,
  type LicenseStatus,
  PurserError,
  verifyLease,
} from '@purser/client'
import { createTestPurser } from '@purser/client/testing'
import { ENTITLEMENT_STATUSES, LICENSE_STATUSES } from '#domain/licensing'
import { openDouble, openReal, type Subject } from './client-subjects.ts'

let subjects: Subject[]
before(async () => {
  subjects = [await openReal(), await openDouble()]
})
after(async () => {
  for (const subject of subjects) await subject[Symbol.asyncDispose]()
})

test('the client lists the statuses that the service has', () => {
  const of_license: Record<LicenseStatus, true> = {
    active: true,
    trialing: true,
    one_time_active: true,
    past_due: true,
    unpaid: true,
    paused: true,
    canceled: true,
    preview: true,
  }
  const of_entitlement: Record<EntitlementStatus, true> = {
    active: true,
    trialing: true,
    one_time_active: true,
    free: true,
    preview: true,
    none: true,
  }
  assert.deepEqual(Object.keys(of_license).sort(), [...LICENSE_STATUSES].sort())
  assert.deepEqual(Object.keys(of_entitlement).sort(), [...ENTITLEMENT_STATUSES].sort())
})

test('a license that a test cancels or refunds ended on that day, like one of the service', async () => {
  const purser = createTestPurser()
  const scheduled = new Date(purser.now().getTime() + 86_400_000)
  for (const canceled_at of [null, scheduled]) {
    const license = purser.addLicense({ canceled_at })
    license.status = 'canceled'
    const state = await purser.client.validate(license.license_key)
    const today = purser.now().toISOString().slice(0, 10)
    assert.deepEqual([state.status, state.canceled_at], ['canceled', today])
  }
})

test('a license whose renewal failed has the period that ended, until it is paid', async () => {
  const purser = createTestPurser()
  const dayIn = (days: number) =>
    new Date(purser.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)
  for (const [status, days] of [
    ['past_due', 0],
    ['unpaid', -14],
  ] as const) {
    const license = purser.addLicense({ status })
    const { period_end } = await purser.client.validate(license.license_key)
    assert.equal(period_end, dayIn(days))
    license.status = 'active'
    const paid = await purser.client.validate(license.license_key)
    assert.ok(paid.entitled && paid.period_end! > dayIn(0))
  }
})

/** A value without what differs between two runs: ids, keys, days and times. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .replace(/^(lic|prod|prc|app|key)_\w+$/, '$1_…')
      .replace(/^\d{4}-\d\d-\d\d$/, 'day')
      .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'time')
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]))
}

/** The value of a call, or the class, status and code of its error. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return shapeOf(await call)
  } catch (error) {
    if (!(error instanceof PurserError)) throw error
    return [error.name, error.status, error.code]
  }
}

/** When a lease was issued, by the clock of the service. */
function issuedAt(lease: string): Date {
  const [, payload = ''] = lease.split('.')
  return new Date(JSON.parse(Buffer.from(payload, 'base64url').toString()).iat * 1000)
}

type Case = { run: (subject: Subject) => Promise<unknown>; expected: unknown }

const plan = { product_id: 'prod_…', product_public_id: 'prod_…', license_id: 'lic_…' }
const active = {
  entitled: true,
  status: 'active',
  ...plan,
  period_end: 'day',
  canceled_at: null,
}

const validated = async (subject: Subject, status: Parameters<Subject['license']>[0]) =>
  subject.client.validate((await subject.license(status)).key)

const LICENSES: Record<string, Case> = {
  'an active license': { run: (subject) => validated(subject, 'active'), expected: active },
  'a one-time purchase': {
    run: (subject) => validated(subject, 'one_time_active'),
    expected: { ...active, status: 'one_time_active', period_end: null },
  },
  ...Object.fromEntries(
    (['trialing', 'past_due', 'unpaid', 'paused', 'canceled'] as const).map((status) => [
      `a license that is ${status}`,
      {
        run: (subject: Subject) => validated(subject, status),
        expected: {
          ...active,
          status,
          entitled: status === 'trialing',
          canceled_at: status === 'canceled' ? 'day' : null,
        },
      },
    ]),
  ),
  'a lease': {
    run: async ({ client, ...subject }) => {
      const { key } = await subject.license('active')
      const { lease } = await client.validate(key, { lease: { seconds: 600, device: 'mac' } })
      const keys = await client.leaseKeys()
      const { base_url, client_id } = client
      const expected = { base_url, client_id, license_key: key, device: 'mac', keys }
      const { issued_at, expires_at, ...license } = await verifyLease(lease!, {
        ...expected,
        now: issuedAt(lease!),
      })
      return { ...license, lasts: expires_at.getTime() - issued_at.getTime() }
    },
    expected: {
      license_id: 'lic_…',
      product_public_id: 'prod_…',
      status: 'active',
      period_end: 'day',
      device: 'mac',
      lasts: 600_000,
    },
  },
  'a lease for a license that is past due': {
    run: async ({ client, ...subject }) => {
      const { key } = await subject.license('past_due')
      return Object.keys(await client.validate(key, { lease: {} })).includes('lease')
    },
    expected: false,
  },
  'a lease of more than three days': {
    run: async ({ client, ...subject }) =>
      client.validate((await subject.license('active')).key, { lease: { seconds: 259_201 } }),
    expected: ['InvalidRequestError', 400, 'invalid_request'],
  },
  'an unknown key': {
    run: ({ client }) => client.validate('key_000000000000000000000000000000000'),
    expected: ['PurserError', 404, 'unknown_key'],
  },
  'an empty key': {
    run: ({ client }) => client.validate(''),
    expected: ['PurserError', 404, 'unknown_key'],
  },
  'a wrong secret': {
    run: async (subject) => subject.impostor.validate((await subject.license('active')).key),
    expected: ['PurserError', 401, 'invalid_client'],
  },
  'a client that does not exist': {
    run: async (subject) => subject.unregistered.order((await subject.license('active')).ref),
    expected: ['PurserError', 401, 'invalid_client'],
  },
  'an order': {
    run: async (subject) => subject.client.order((await subject.license('active')).ref),
    expected: { ...active, license_key: 'key_…' },
  },
  'a forged order': {
    run: ({ client }) => client.order('forged'),
    expected: ['PurserError', 404, 'unknown_order'],
  },
  'an order that is processing, and then lands': {
    run: async (subject) => {
      const { ref, land } = await subject.processing()
      const waiting = await subject.client.order(ref, { wait_seconds: 0 })
      await land()
      return { waiting, landed: await subject.client.order(ref) }
    },
    expected: {
      waiting: { status: 'processing', retry_after: 1 },
      landed: { ...active, license_key: 'key_…' },
    },
  },
}

const KEYS: Record<string, Case> = {
  'a regenerated key': {
    run: async (subject) => subject.client.regenerateKey((await subject.license('active')).id),
    expected: { ...active, license_key: 'key_…', rotated_at: 'time' },
  },
  'the old key after it': {
    run: async (subject) => {
      const { id, key } = await subject.license('active')
      await subject.client.regenerateKey(id, { reason: 'leaked' })
      return subject.client.validate(key)
    },
    expected: ['PurserError', 404, 'unknown_key'],
  },
  'a repeated regeneration': {
    run: async (subject) => {
      const { id } = await subject.license('active')
      const options = { idempotency_key: 'once' }
      const one = await subject.client.regenerateKey(id, options)
      const other = await subject.client.regenerateKey(id, options)
      return { same: one.license_key === other.license_key }
    },
    expected: { same: true },
  },
  'a regeneration for a canceled license': {
    run: async (subject) => subject.client.regenerateKey((await subject.license('canceled')).id),
    expected: ['PurserError', 409, 'license_canceled'],
  },
  'a regeneration for an unknown license': {
    run: ({ client }) => client.regenerateKey('lic_0000000000000000000000'),
    expected: ['PurserError', 404, 'unknown_license'],
  },
  'a regeneration with a long reason': {
    run: async (subject) => {
      const { id } = await subject.license('active')
      return subject.client.regenerateKey(id, { reason: 'x'.repeat(501) })
    },
    expected: ['InvalidRequestError', 400, 'invalid_request'],
  },
}

const PUBLIC: Record<string, Case> = {
  'the fields of the profile': {
    run: async ({ client }) => Object.keys(await client.app()).sort(),
    expected: shapeOf(
      ['client_id', 'listing_mode', 'marketplace_url', 'name', 'tagline', 'url'].sort(),
    ),
  },
  'the fields of a price': {
    run: async ({ client }) => Object.keys((await client.prices()).prices[0] ?? {}).sort(),
    expected: shapeOf([
      'amount',
      'buy_url',
      'currency',
      'frequency',
      'is_recurring',
      'product_id',
      'product_name',
      'public_id',
    ]),
  },
  'the fields of the prices': {
    run: async ({ client }) => Object.keys(await client.prices()).sort(),
    expected: shapeOf(['app_name', 'client_id', 'has_free_tier', 'prices']),
  },
  'an app that does not exist': {
    run: ({ unregistered }) => unregistered.app(),
    expected: ['PurserError', 404, 'not_found'],
  },
}

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
    expected: shapeOf(['ServiceNotEnabledError', 403, 'service_not_enabled']),
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

// Last, because what is due on the next day happens too.
const TIME: Record<string, Case> = {
  'an order after a day': {
    run: async (subject) => {
      const { ref } = await subject.license('active')
      subject.pass(86_401)
      return subject.client.order(ref)
    },
    expected: ['PurserError', 404, 'unknown_order'],
  },
}

for (const [name, cases] of Object.entries({ LICENSES, KEYS, PUBLIC, SIGN_IN, TIME })) {
  describe(`the service and the double agree: ${name.toLowerCase().replace('_', '-')}`, () => {
    for (const [title, { run, expected }] of Object.entries(cases)) {
      test(title, async () => {
        const [service, double] = subjects as [Subject, Subject]
        assert.deepEqual(await outcomeOf(run(service)), expected, 'the service')
        assert.deepEqual(await outcomeOf(run(double)), expected, 'the double')
      })
    }
  })
}
