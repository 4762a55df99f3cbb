/** Leases, verified as an app does that has no network. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  createClient,
  isPurserError,
  LeaseError,
  type LeaseExpectations,
  type LeaseRequest,
  verifyLease,
} from '@purser/client'
import { createTestPurser } from '@purser/client/testing'
import { CLIENT_ID, startFakeIssuer } from './fake-issuer.ts'

const purser = createTestPurser()
const license = purser.addLicense()
let expected: LeaseExpectations
before(async () => {
  expected = {
    base_url: purser.base_url,
    client_id: purser.client_id,
    license_key: license.license_key,
    keys: await purser.client.leaseKeys(),
  }
})

async function leaseWith(request: LeaseRequest = {}, key = license.license_key): Promise<string> {
  const { lease } = await purser.client.validate(key, { lease: request })
  assert.ok(lease)
  return lease
}

const refusal = (code: string, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof LeaseError)
  assert.equal(error.code, code)
  if (message) assert.match(error.message, message)
  return true
}

describe('verifying a lease', () => {
  test('returns the license and the end, without a request', async () => {
    const lease = await leaseWith({ seconds: 600, device: 'mac' })
    const before = purser.requests.length
    const found = await verifyLease(lease, { ...expected, device: 'mac' })
    assert.equal(purser.requests.length, before)
    assert.equal(found.license_id, license.license_id)
    assert.equal(found.product_public_id, license.product_public_id)
    assert.deepEqual([found.status, found.device], ['active', 'mac'])
    assert.equal(found.expires_at.getTime() - found.issued_at.getTime(), 600_000)
  })

  test('accepts the key with the spaces that were pasted around it, as a validation does', async () => {
    const license_key = ` ${license.license_key}\n`
    const lease = await leaseWith({}, license_key)
    const found = await verifyLease(lease, { ...expected, license_key })
    assert.equal(found.license_id, license.license_id)
  })

  test('refuses one that has expired', async () => {
    const lease = await leaseWith({ seconds: 60 })
    const later = new Date(Date.now() + 61_000)
    await assert.rejects(verifyLease(lease, { ...expected, now: later }), refusal('lease_expired'))
  })

  test('refuses one from the future, as of a clock that was set back', async () => {
    const lease = await leaseWith()
    const earlier = new Date(Date.now() - 120_000)
    const verifying = verifyLease(lease, { ...expected, now: earlier })
    await assert.rejects(verifying, refusal('invalid_lease', /clock/))
  })

  const OTHERS: Record<string, [Partial<LeaseExpectations>, RegExp]> = {
    service: [{ base_url: 'https://other.example' }, /another service/],
    app: [{ client_id: 'app_other' }, /another app/],
    'license key': [{ license_key: 'key_other' }, /another license key/],
    device: [{ device: 'pc' }, /another device/],
    'issuer of keys': [{ keys: [] }, /does not publish/],
  }
  for (const [name, [other, message]] of Object.entries(OTHERS)) {
    test(`refuses one of another ${name}`, async () => {
      const lease = await leaseWith()
      const verifying = verifyLease(lease, { ...expected, ...other })
      await assert.rejects(verifying, refusal('invalid_lease', message))
    })
  }

  test('refuses one for a device where none is expected', async () => {
    const lease = await leaseWith({ device: 'mac' })
    await assert.rejects(verifyLease(lease, expected), refusal('invalid_lease', /another device/))
  })

  test('refuses one that was changed, and what is no lease', async () => {
    const [head, payload = '', signature] = (await leaseWith()).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp * 2 }))
    const forged = `${head}.${longer.toString('base64url')}.${signature}`
    const unsigned = `${btoa('{"alg":"none"}')}.${payload}.${signature}`
    for (const lease of [forged, unsigned, '', 'a.b', 'a.b.c', `${head}.${payload}.`]) {
      await assert.rejects(verifyLease(lease, expected), refusal('invalid_lease'), lease)
    }
  })

  test('refuses an ID token of the same service and app', async () => {
    const person = purser.addPerson()
    const redirect_uri = 'https://app.example/callback'
    const { url, login } = await purser.sign_in.authorizationLink({ redirect_uri })
    const { tokens } = await purser.sign_in.callback(purser.authorize(url, person), login)
    const verifying = verifyLease(tokens.id_token, expected)
    await assert.rejects(verifying, refusal('invalid_lease', /another kind/))
  })
})

test('a license that is not entitled gets no lease', async () => {
  const lapsed = purser.addLicense({ status: 'past_due' })
  const state = await purser.client.validate(lapsed.license_key, { lease: {} })
  assert.deepEqual([state.entitled, state.lease], [false, undefined])
})

describe('reading the keys of leases', () => {
  test('returns what the service publishes', async () => {
    await using issuer = await startFakeIssuer()
    const client = createClient({ base_url: issuer.service.url, client_id: CLIENT_ID })
    assert.equal((await client.leaseKeys()).length, 1)
  })

  test('refuses JSON of another program, which has no key set', async () => {
    await using issuer = await startFakeIssuer()
    const client = createClient({ base_url: issuer.service.url, client_id: CLIENT_ID })
    for (const body of [{}, { keys: null }, { keys: { kid: 'key-1' } }, { status: 'ok' }]) {
      issuer.replies['/o/jwks'] = { body }
      const isUnexpected = (error: unknown) => isPurserError(error, 'unexpected_answer')
      await assert.rejects(client.leaseKeys(), isUnexpected, JSON.stringify(body))
    }
  })
})
