import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isPurserError, verifyLease } from '@purser/client'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { deleteAccount } from '#flows/account'
import { addDays, isoDate } from '#platform/calendar'
import type { ProductId } from '#platform/ids'
import { openOwner } from '../support/account.ts'
import { assertRefused, fingerprint } from '../support/answers.ts'
import { addApp, type OtherApp } from '../support/apps.ts'
import { addImported } from '../support/imported.ts'
import { paidProducts } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { passDays, runDue } from '../support/subscriber.ts'

const NEVER_ISSUED = 'key_000000000000000000000000000000000'

let service: TestService
let harbor: OtherApp
let product_id: ProductId
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  harbor = await addApp(service, { slug: 'harbor' })
  ;[product_id] = (await paidProducts(service)) as [ProductId]
})
after(() => assertInvariantsAndClose(service))

const validate = (key: string, of?: OtherApp) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { ...basic(service, of) },
    payload: { key },
  })

let count = 0
async function imported(facts: { keys: string[]; ends_at?: Date; email?: string }) {
  const app_id = service.demo.app.client_id
  const email = facts.email ?? `moved-${count++}@example.com`
  const { keys: former_keys, ends_at = null } = facts
  return await addImported(service, { app_id, product_id, email, former_keys, ends_at })
}

describe('a key that another service issued', () => {
  test('validates exactly like the key of its license, in any shape', async () => {
    const keys = ['38b1460a-5104-4067-a91d-77b872934d51', 'A1B2-C3D4 E5', 'schlüssel', '7']
    keys.push('x'.repeat(512))
    const license_id = await imported({ keys })
    const { db, keys: ring } = service.world
    const own = licensing.showKey(ring, await licensing.getLicense(db, license_id))
    const state = (await validate(own)).json()
    assert.deepEqual([state.status, state.entitled], ['one_time_active', true])
    for (const key of keys) {
      const answer = await validate(key)
      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), state)
    }
  })

  test('is unknown to another app, and in another case', async () => {
    await imported({ keys: ['Case-Kept'] })
    const never = fingerprint(await validate(NEVER_ISSUED))
    for (const answer of [await validate('Case-Kept', harbor), await validate('case-kept')]) {
      assertRefused(answer, 404, 'unknown_key')
      assert.deepEqual(fingerprint(answer), never)
    }
  })

  test('opens a license of each app that imported the same text', async () => {
    const text = 'one text, two apps'
    const here = await imported({ keys: [text] })
    const there = await addImported(service, {
      app_id: harbor.client_id,
      product_id: harbor.product_id,
      email: 'two@example.com',
      former_keys: [text],
    })
    assert.equal((await validate(text)).json().license_id, here)
    assert.equal((await validate(text, harbor)).json().license_id, there)
  })

  test('stops working when the key is replaced', async () => {
    const license_id = await imported({ keys: ['rotated-1', 'rotated-2'] })
    const rotated = await service.app.inject({
      method: 'POST',
      url: `/api/v1/licenses/${license_id}/regenerate-key`,
      headers: { ...basic(service) },
    })
    assert.equal(rotated.statusCode, 200)
    assert.equal((await validate(rotated.json().license_key)).json().license_id, license_id)
    for (const key of ['rotated-1', 'rotated-2']) {
      assertRefused(await validate(key), 404, 'unknown_key')
    }
  })

  test('is deleted with the account', async () => {
    const email = 'forgotten@example.com'
    await imported({ keys: ['forgotten-key'], email })
    const { id: user_id } = (await identity.findByEmail(service.world.db, email))!
    const owner = await openOwner(service, { user_id, email })
    assert.equal((await deleteAccount(service.world, owner)).outcome, 'deleted')
    assertRefused(await validate('forgotten-key'), 404, 'unknown_key')
  })

  test('never takes the place of a key that this service issued', async () => {
    const page = await purchase(service, buyer(service), { email: 'owner@example.com' })
    const bought = (await validate(licenseKey(page))).json()
    await imported({ keys: [licenseKey(page)] })
    assert.deepEqual((await validate(licenseKey(page))).json(), bought)
  })

  test('moves from a license that ended to the next, and never from a live one', async () => {
    const first = await imported({ keys: ['moves'] })
    const second = await imported({ keys: ['moves'] })
    assert.equal((await validate('moves')).json().license_id, first)
    const { db } = service.world
    await db.tx((tx) =>
      licensing.transition(tx, service.clock.now(), {
        license_id: first,
        trigger: 'import_ended',
        to: 'canceled',
      }),
    )
    const app_id = service.demo.app.client_id
    const key_hash = licensing.keyHash(service.world.keys, 'moves')
    await licensing.addAliases(db, service.clock.now(), [{ app_id, key_hash, license_id: second }])
    assert.equal((await validate('moves')).json().license_id, second)
  })
})

describe('an imported license', () => {
  test('is entitled until the end of what was paid, and answers canceled afterwards', async () => {
    const ends_at = addDays(service.clock.now(), 10)
    await imported({ keys: ['until-a-day'], ends_at })
    const { status, entitled, period_end } = (await validate('until-a-day')).json()
    assert.deepEqual([status, entitled, period_end], ['active', true, isoDate(ends_at)])
    await passDays(service, 11)
    await runDue(service)
    const after_end = (await validate('until-a-day')).json()
    assert.deepEqual([after_end.status, after_end.entitled], ['canceled', false])
  })
})

describe('a lease for a key that another service issued', () => {
  const request = async (key: string) => {
    const payload = { key, lease: { seconds: 600, device: 'studio' } }
    const headers = { ...basic(service) }
    return await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers,
      payload,
    })
  }
  /** Verifies as an app does that starts offline: with stored keys and nothing else. */
  const verify = async (lease: string, license_key: string) => {
    const { keys } = (await service.app.inject('/o/jwks')).json()
    return await verifyLease(lease, {
      base_url: service.world.config.base_url,
      client_id: service.demo.app.client_id,
      license_key,
      device: 'studio',
      keys,
      now: service.clock.now(),
    })
  }
  const refusalOf = async (lease: string, license_key: string) =>
    await verify(lease, license_key).catch((error) => (isPurserError(error) ? error.code : error))

  test('verifies offline with the key that was sent, and with no other key of the license', async () => {
    const license_id = await imported({ keys: ['lease-former-1', 'lease-former-2'] })
    const { lease } = (await request('lease-former-1')).json()
    const stated = await verify(lease, 'lease-former-1')
    assert.deepEqual([stated.license_id, stated.status], [license_id, 'one_time_active'])
    const { db, keys } = service.world
    const own = licensing.showKey(keys, await licensing.getLicense(db, license_id))
    assert.equal(await refusalOf(lease, 'lease-former-2'), 'invalid_lease')
    assert.equal(await refusalOf(lease, own), 'invalid_lease')
    const other = (await request(own)).json().lease
    assert.equal((await verify(other, own)).license_id, license_id)
    assert.equal(await refusalOf(other, 'lease-former-1'), 'invalid_lease')
  })

  test('is not renewed once the key is replaced, and ends when it says', async () => {
    const license_id = await imported({ keys: ['lease-replaced'] })
    const { lease } = (await request('lease-replaced')).json()
    const rotated = await service.app.inject({
      method: 'POST',
      url: `/api/v1/licenses/${license_id}/regenerate-key`,
      headers: { ...basic(service) },
    })
    assertRefused(await request('lease-replaced'), 404, 'unknown_key')
    // It cannot be revoked: the app that stored it may start until it ends.
    assert.equal((await verify(lease, 'lease-replaced')).license_id, license_id)
    service.clock.pass(600)
    assert.equal(await refusalOf(lease, 'lease-replaced'), 'lease_expired')
    const { license_key } = rotated.json()
    const next = (await request(license_key)).json().lease
    assert.equal((await verify(next, license_key)).license_id, license_id)
  })
})
