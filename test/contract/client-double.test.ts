import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EntitlementStatus, type LicenseStatus, verifyLease } from '@purser/client'
import { createTestPurser } from '@purser/client/testing'
import { ENTITLEMENT_STATUSES, LICENSE_STATUSES } from '#domain/licensing'
import { type Case, testBoth } from './client-cases.ts'
import type { Subject } from './client-subjects.ts'

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

/** When a lease was issued, by the clock of the service. */
function issuedAt(lease: string): Date {
  const [, payload = ''] = lease.split('.')
  return new Date(JSON.parse(Buffer.from(payload, 'base64url').toString()).iat * 1000)
}

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
  'a regeneration repeated after another one': {
    run: async (subject) => {
      const { id } = await subject.license('active')
      const options = { idempotency_key: 'once' }
      await subject.client.regenerateKey(id, options)
      const latest = await subject.client.regenerateKey(id)
      const repeated = await subject.client.regenerateKey(id, options)
      return { same: latest.license_key === repeated.license_key }
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
    expected: ['client_id', 'listing_mode', 'marketplace_url', 'name', 'tagline', 'url'].sort(),
  },
  'the fields of a price': {
    run: async ({ client }) => Object.keys((await client.prices()).prices[0] ?? {}).sort(),
    expected: [
      'amount',
      'buy_url',
      'currency',
      'frequency',
      'is_recurring',
      'product_id',
      'product_name',
      'public_id',
    ],
  },
  'the fields of the prices': {
    run: async ({ client }) => Object.keys(await client.prices()).sort(),
    expected: ['app_name', 'client_id', 'has_free_tier', 'prices'],
  },
  'an app that does not exist': {
    run: ({ unregistered }) => unregistered.app(),
    expected: ['PurserError', 404, 'not_found'],
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

testBoth({ licenses: LICENSES, keys: KEYS, public: PUBLIC, time: TIME })
