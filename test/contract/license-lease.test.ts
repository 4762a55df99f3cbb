import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import * as grants from '#domain/grants'
import { addSeconds } from '#platform/calendar'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { assertRefused } from '../support/answers.ts'
import { forceStatus } from '../support/licenses.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY_SECONDS = 86_400

let service: TestService
let key: string
before(async () => {
  service = await openTestService()
  const page = await purchase(service, buyer(service), { email: 'one@example.com' })
  key = licenseKey(page)
})
after(() => service.close())

async function validate(payload: object) {
  const headers = { ...basic(service) }
  const call = { method: 'POST', url: '/api/v1/licenses/validate', headers, payload } as const
  return await service.app.inject(call)
}

async function leaseOf(payload: object): Promise<string | undefined> {
  const answer = await validate({ key, ...payload })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().lease
}

/** Verifies a lease as a seller's program does: with the published keys and nothing else. */
async function read(lease: string | undefined) {
  const published = (await service.app.inject('/o/jwks')).json()
  const { payload, protectedHeader } = await jwtVerify(lease!, createLocalJWKSet(published), {
    issuer: service.world.config.base_url,
    audience: service.demo.app.client_id,
    typ: 'license-lease+jwt',
    algorithms: ['RS256'],
    currentDate: service.clock.now(),
  })
  return { payload, protectedHeader }
}

describe('a lease', () => {
  test('is not in an answer to a request without one', async () => {
    assert.equal(await leaseOf({}), undefined)
  })

  test('says what the answer says, for which key, and lasts a day', async () => {
    const { lease, ...state } = (await validate({ key, lease: {} })).json()
    const { iat, exp, iss: _iss, aud: _aud, ...content } = (await read(lease)).payload
    assert.deepEqual(content, {
      license_id: state.license_id,
      product_public_id: state.product_public_id,
      status: 'active',
      period_end: state.period_end,
      key_hash: sha256(key).toString('base64url'),
    })
    assert.equal(exp! - iat!, DAY_SECONDS)
  })

  test('has the requested length and names the requested device', async () => {
    const lease = await leaseOf({ lease: { seconds: 600, device: 'studio-mac' } })
    const { iat, exp, device } = (await read(lease)).payload
    assert.deepEqual([exp! - iat!, device], [600, 'studio-mac'])
  })

  test('cannot pass for an ID token: its type and its issuer differ', async () => {
    const { payload, protectedHeader } = await read(await leaseOf({ lease: {} }))
    assert.equal(protectedHeader.typ, 'license-lease+jwt')
    const discovery = await service.app.inject('/o/.well-known/openid-configuration')
    assert.notEqual(payload.iss, discovery.json().issuer)
    assert.equal(payload.sub, undefined)
  })

  test('ends with the period, and lasts an hour while the renewal is being paid', async () => {
    const start = service.clock.now()
    const { period_end } = await service.world.db.one<{ period_end: Date }>(
      sql`select period_end from licenses where key_hash is not null limit 1`,
    )
    service.clock.reset(addSeconds(period_end, -600))
    const last = (await read(await leaseOf({ lease: {} }))).payload
    assert.equal(last.exp, period_end.getTime() / 1000)
    service.clock.reset(addSeconds(period_end, 60))
    const renewing = (await read(await leaseOf({ lease: {} }))).payload
    assert.equal(renewing.exp! - renewing.iat!, 3600)
    service.clock.reset(start)
  })

  test('is not given for a license that is not entitled', async () => {
    const page = await purchase(service, buyer(service), { email: 'unpaid@example.com' })
    const other = licenseKey(page)
    const { license_id } = (await validate({ key: other })).json()
    for (const status of ['past_due', 'paused', 'canceled'] as const) {
      await forceStatus(service, status, { license_id })
      const answer = (await validate({ key: other, lease: {} })).json()
      assert.deepEqual([answer.status, answer.entitled, answer.lease], [status, false, undefined])
    }
  })

  test('is refused for lengths and fields that do not exist', async () => {
    for (const [lease, path] of [
      [{ seconds: 59 }, 'lease.seconds'],
      [{ seconds: grants.LIFETIMES.lease + 1 }, 'lease.seconds'],
      [{ seconds: 60.5 }, 'lease.seconds'],
      [{ device: '' }, 'lease.device'],
      [{ more: true }, 'lease.more'],
      [true, 'lease'],
    ] as const) {
      const answer = await validate({ key, lease })
      assertRefused(answer, 400, 'invalid_request', 'fields')
      assert.equal(answer.json().fields[0].path, path, answer.body)
    }
  })

  test('stays verifiable after the keys are rotated, for as long as any lease lasts', async () => {
    const { db, keys, random } = service.world
    const lease = await leaseOf({ lease: { seconds: grants.LIFETIMES.lease } })
    const now = service.clock.now()
    await grants.rotateKeys(db, now, { keys, random }, { at_once: false })
    service.clock.reset(addSeconds(now, grants.LIFETIMES.lease - 60))
    await grants.sweepKeys(db, service.clock.now())
    assert.ok((await read(lease)).payload)
  })
})
