import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import type { LicenseId } from '#platform/ids'
import { sql } from '#platform/sql'
import { assertRefused } from '../support/answers.ts'
import { assertInvariants } from '../support/invariants.ts'
import { forceStatus } from '../support/licenses.ts'
import { basic, buyer, licenseKey, purchase } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

let licenses = 0

/** A license that was just bought. */
async function bought(): Promise<{ key: string; license_id: LicenseId }> {
  const email = `rotation-${licenses++}@example.com`
  const key = licenseKey(await purchase(service, buyer(service), { email }))
  return { key, license_id: (await validate(key)).json().license_id }
}

const validate = (key: string) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: basic(service),
    payload: { key },
  })

let callers = 0

/** Each call comes from a separate address, so that no rate limit refuses it. */
const rotate = (license_id: string, headers: object = {}, payload?: object | string) =>
  service.app.inject({
    method: 'POST',
    url: `/api/v1/licenses/${license_id}/regenerate-key`,
    headers: { ...basic(service), ...headers },
    remoteAddress: `10.9.${callers >> 8}.${callers++ & 255}`,
    ...(payload === undefined ? {} : { payload }),
  })

const auditOf = async (license_id: LicenseId) =>
  await service.world.db.rows<{ actor: string; request_id: string; detail: object }>(
    sql`select actor, request_id, detail from audit_log
      where subject = ${license_id} and action = 'license.key_rotated' order by id`,
  )

const isAlive = async (key: string) => {
  const answer = await validate(key)
  if (answer.statusCode !== 200) assertRefused(answer, 404, 'unknown_key')
  return answer.statusCode === 200
}

describe('rotation', () => {
  // F18
  test('ignores the type of a body that is empty, as curl sends it', async () => {
    const { license_id } = await bought()
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'x/y']) {
      const headers = { 'content-type': type, 'content-length': '0' }
      assert.equal((await rotate(license_id, headers)).statusCode, 200, type)
    }
    const full = await rotate(license_id, { 'content-type': 'text/plain' }, 'reason')
    assertRefused(full, 415, 'unsupported_media_type')
  })

  test('takes an empty body of unknown length, of any type', async () => {
    const { license_id } = await bought()
    const chunked = { 'transfer-encoding': 'chunked' }
    const typed = { ...chunked, 'content-type': 'text/plain' }
    for (const headers of [chunked, typed]) {
      assert.equal((await rotate(license_id, headers, Readable.from([]))).statusCode, 200)
      const answer = await rotate(license_id, headers, Readable.from(['{}']))
      assertRefused(answer, 415, 'unsupported_media_type')
    }
  })

  test('revokes the old key as the new one becomes valid, and returns the state', async () => {
    const { key, license_id } = await bought()
    const before = (await validate(key)).json()
    const answer = await rotate(license_id)
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const { license_key, rotated_at, ...state } = answer.json()
    assert.match(license_key, /^key_[0-9A-Za-z]{33}$/)
    assert.equal(rotated_at, '2026-03-10T12:00:00Z')
    assert.deepEqual(state, before)
    assert.deepEqual([await isAlive(key), await isAlive(license_key)], [false, true])
    assert.deepEqual((await validate(license_key)).json(), before)
  })

  test('accepts no body, an empty one, {} and no content type, and keeps a reason', async () => {
    const { license_id } = await bought()
    const json = { 'content-type': 'application/json' }
    const answers = [
      await rotate(license_id),
      await rotate(license_id, json),
      await rotate(license_id, json, ''),
      await rotate(license_id, json, '{}'),
      await rotate(license_id, {}, { reason: 'posted in \u202ea forum' }),
    ]
    for (const answer of answers) assert.equal(answer.statusCode, 200)
    const audit = await auditOf(license_id)
    assert.equal(audit.length, answers.length)
    assert.deepEqual(
      audit.map(({ detail }) => detail),
      [{}, {}, {}, {}, { reason: 'posted in a forum' }],
    )
    for (const [index, { actor, request_id }] of audit.entries()) {
      assert.equal(actor, service.demo.app.client_id)
      assert.equal(request_id, answers[index]?.headers['x-request-id'])
    }
  })

  test('is in the activity of the app’s seller, with the name of the app', async () => {
    const { license_id } = await bought()
    await rotate(license_id)
    const seller = await signedIn(service, service.demo.seller)
    await seller.open('/dashboard/activity/')
    const line = `License: key rotated ${license_id} Tidepool, through the API`
    assert.ok(seller.text.includes(line), seller.text)
  })

  test('an unknown field, a wrong reason and a wrong header are named at once', async () => {
    const { key, license_id } = await bought()
    const headers = { 'idempotency-key': 'x'.repeat(256) }
    const answer = await rotate(license_id, headers, { reason: 5, force: true })
    assertRefused(answer, 400, 'invalid_request', 'fields')
    const paths = answer.json().fields.map((fault: { path: string }) => fault.path)
    assert.deepEqual(paths.sort(), ['force', 'idempotency-key', 'reason'])
    assert.ok(await isAlive(key))
    assert.deepEqual(await auditOf(license_id), [])
  })

  test('a reason with half of a character is named, and nothing is rotated', async () => {
    const { key, license_id } = await bought()
    const json = { 'content-type': 'application/json' }
    const answer = await rotate(license_id, json, '{"reason":"lost \\ud83d"}')
    assertRefused(answer, 400, 'invalid_request', 'fields')
    assert.deepEqual(answer.json().fields[0].path, 'reason')
    assert.ok(await isAlive(key))
    assert.equal(
      (await rotate(license_id, json, '{"reason":"lost \\ud83d\\ude00"}')).statusCode,
      200,
    )
  })

  test('a body that is no object is refused, and nothing is rotated', async () => {
    const { key, license_id } = await bought()
    const json = { 'content-type': 'application/json' }
    for (const body of ['null', '[]', '"{}"', '0', 'false']) {
      const answer = await rotate(license_id, json, body)
      assertRefused(answer, 400, 'invalid_request', 'fields')
    }
    assert.ok(await isAlive(key))
    assert.deepEqual(await auditOf(license_id), [])
  })

  test('an unknown license is refused, whatever its id looks like', async () => {
    for (const id of ['lic_0000000000000000000000', 'x', '%F0%9F%8C%8A', "'", 'a'.repeat(900)]) {
      assertRefused(await rotate(id), 404, 'unknown_license')
    }
  })

  test('a canceled license is 409 and its key stays as it was', async () => {
    const { key, license_id } = await bought()
    await forceStatus(service, 'canceled', { license_id })
    assertRefused(await rotate(license_id), 409, 'license_canceled')
    const state = (await validate(key)).json()
    assert.deepEqual(
      { status: state.status, entitled: state.entitled, canceled_at: state.canceled_at },
      { status: 'canceled', entitled: false, canceled_at: '2026-03-10' },
    )
    assert.deepEqual(await auditOf(license_id), [])
  })
})

describe('an Idempotency-Key', () => {
  test('answers alike for ten minutes, and rotates again afterwards', async () => {
    const { license_id } = await bought()
    const headers = { 'idempotency-key': 'incident-17' }
    const first = (await rotate(license_id, headers)).json()
    service.clock.pass(599)
    assert.deepEqual((await rotate(license_id, headers)).json(), first)
    assert.equal((await auditOf(license_id)).length, 1)
    service.clock.pass(1)
    const later = (await rotate(license_id, headers)).json()
    assert.notEqual(later.license_key, first.license_key)
    assert.notEqual(later.rotated_at, first.rotated_at)
    assert.deepEqual(
      [await isAlive(first.license_key), await isAlive(later.license_key)],
      [false, true],
    )
    assert.equal((await auditOf(license_id)).length, 2)
  })

  test('of another license, or another key, or none, rotates', async () => {
    const [one, two] = [await bought(), await bought()]
    const keys = new Set<string>()
    for (const [license_id, headers] of [
      [one.license_id, { 'idempotency-key': 'a' }],
      [two.license_id, { 'idempotency-key': 'a' }],
      [one.license_id, { 'idempotency-key': 'b' }],
      [one.license_id, {}],
      [one.license_id, {}],
    ] as const) {
      keys.add((await rotate(license_id, headers)).json().license_key)
    }
    assert.equal(keys.size, 5)
    assert.equal((await auditOf(one.license_id)).length, 4)
  })

  test('repeated after another rotation replaces nothing, and returns the current key', async () => {
    const { license_id } = await bought()
    const headers = { 'idempotency-key': 'its response was lost' }
    await rotate(license_id, headers)
    service.clock.pass(60)
    const latest = (await rotate(license_id, { 'idempotency-key': 'of another server' })).json()
    assert.deepEqual((await rotate(license_id, headers)).json(), latest)
    const unnamed = (await rotate(license_id)).json()
    assert.deepEqual((await rotate(license_id, headers)).json(), unnamed)
    assert.equal(await isAlive(unnamed.license_key), true)
    assert.equal((await auditOf(license_id)).length, 3)
    service.clock.pass(540)
    assert.notEqual((await rotate(license_id, headers)).json().license_key, unnamed.license_key)
  })
})

describe('at the same time', () => {
  test('twenty rotations leave one live key, and a line of the log for each', async () => {
    const { key, license_id } = await bought()
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(license_id)))
    const keys = answers.map((answer) => answer.json().license_key as string)
    assert.equal(new Set(keys).size, 20)
    const alive = []
    for (const each of [key, ...keys]) if (await isAlive(each)) alive.push(each)
    assert.equal(alive.length, 1)
    assert.equal((await auditOf(license_id)).length, 20)
  })

  test('twenty repeats of one request are one rotation', async () => {
    const { license_id } = await bought()
    const headers = { 'idempotency-key': 'once' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(license_id, headers)))
    assert.equal(new Set(answers.map((answer) => answer.body)).size, 1)
    assert.equal((await auditOf(license_id)).length, 1)
  })
})

test('keeps every invariant', () => assertInvariants(service))
