import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { LicenseId } from '#platform/ids'
import { assertRefused, fingerprint } from '../support/answers.ts'
import { addApp } from '../support/apps.ts'
import { testId } from '../support/ids.ts'
import { forceStatus } from '../support/licenses.ts'
import { basic, buyer, licenseKey, orderReference, purchase } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const NEVER_ISSUED = 'key_000000000000000000000000000000000'

let service: TestService
let key: string
let reference: string
let own: { authorization: string }
let foreign: { authorization: string }
before(async () => {
  service = await openTestService()
  own = basic(service)
  foreign = basic(service, await addApp(service, { slug: 'harbor' }))
  const page = await purchase(service, buyer(service), { email: 'one@example.com' })
  key = licenseKey(page)
  reference = orderReference(page)
})
after(() => service.close())

const validate = (payload: object, headers: object = own) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: { ...headers },
    payload,
  })

const lookUp = (ref: string, headers: object = own) =>
  service.app.inject({ url: `/api/v1/orders/${ref}`, headers: { ...headers } })

const rotate = (license_id: LicenseId, headers: object = own) =>
  service.app.inject({
    method: 'POST',
    url: `/api/v1/licenses/${license_id}/regenerate-key`,
    headers: { ...headers },
  })

describe('validation', () => {
  test('a subscription is exactly the seven fields, with days as days', async () => {
    const answer = await validate({ key })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const { license_id, product_id, ...rest } = answer.json()
    assert.match(license_id, /^lic_[0-9A-Za-z]{22}$/)
    assert.match(product_id, /^prod_[0-9A-Za-z]{22}$/)
    assert.deepEqual(rest, {
      entitled: true,
      status: 'active',
      product_public_id: product_id,
      period_end: '2026-04-10',
      canceled_at: null,
    })
  })

  test('a year ends in a year, and what is paid once never', async () => {
    for (const [price, status, period_end] of [
      [1, 'active', '2027-03-10'],
      [2, 'one_time_active', null],
    ] as const) {
      const email = `price-${price}@example.com`
      const page = await purchase(service, buyer(service), { email, price })
      const state = (await validate({ key: licenseKey(page) })).json()
      assert.deepEqual(
        { status: state.status, entitled: state.entitled, period_end: state.period_end },
        { status, entitled: true, period_end },
      )
    }
  })

  test('a key of every status answers that status, and only a good one is entitled', async () => {
    const page = await purchase(service, buyer(service), { email: 'states@example.com' })
    const { license_id } = (await validate({ key: licenseKey(page) })).json()
    for (const [status, entitled] of [
      ['active', true],
      ['trialing', true],
      ['one_time_active', true],
      ['past_due', false],
      ['unpaid', false],
      ['paused', false],
      ['canceled', false],
    ] as const) {
      const canceled_at = new Date('2026-03-20T23:30:00Z')
      await forceStatus(service, status, { license_id, canceled_at })
      const answer = await validate({ key: licenseKey(page) })
      assert.equal(answer.statusCode, 200)
      const state = answer.json()
      assert.deepEqual({ status: state.status, entitled: state.entitled }, { status, entitled })
      assert.equal(state.canceled_at, status === 'canceled' ? '2026-03-20' : null)
    }
  })

  test('a key of the wrong shape is unknown like any other that was never issued', async () => {
    const shapes = ['', 'key_', 'nonsense', 'lic_0', NEVER_ISSUED, `${key} `, key.toUpperCase()]
    shapes.push('key_🌊', '\u00e9', 'key_\ud800', 'x'.repeat(60_000), key.slice(0, -1))
    const first = await validate({ key: NEVER_ISSUED })
    for (const shape of shapes) {
      const answer = await validate({ key: shape })
      assertRefused(answer, 404, 'unknown_key')
      assert.deepEqual(fingerprint(answer), fingerprint(first))
    }
  })
})

describe('order lookup', () => {
  test('returns the state and the key on every request', async () => {
    for (let round = 0; round < 3; round++) {
      const answer = await lookUp(reference)
      assert.equal(answer.statusCode, 200)
      const { license_key, ...state } = answer.json()
      assert.equal(license_key, key)
      assert.deepEqual(state, (await validate({ key })).json())
      assert.equal(answer.headers['cache-control'], 'no-store')
    }
  })

  test('a reference that was altered, cut, invented or repeated is unknown', async () => {
    const other = reference.at(-4) === 'A' ? 'B' : 'A'
    const wrong = ['x', 'svc_order', reference.slice(1), `${reference}A`, `${reference}=`]
    wrong.push(reference.slice(0, -4) + other + reference.slice(-3), 'é', 'A'.repeat(2000))
    for (const each of wrong) {
      const answer = await lookUp(encodeURIComponent(each))
      assertRefused(answer, 404, 'unknown_order')
      assert.deepEqual(fingerprint(answer), fingerprint(await lookUp('x')))
    }
  })

  test('a reference is good for 24 hours and not for a second more', async () => {
    const page = await purchase(service, buyer(service), { email: 'day@example.com' })
    const short = orderReference(page)
    service.clock.pass(24 * 3600 - 1)
    assert.equal((await lookUp(short)).statusCode, 200)
    service.clock.pass(1)
    assertRefused(await lookUp(short), 404, 'unknown_order')
    service.clock.pass(-24 * 3600)
  })
})

describe('another app', () => {
  test('gets the same answer for another app’s key as for an unknown one', async () => {
    const theirs = await validate({ key }, foreign)
    assertRefused(theirs, 404, 'unknown_key')
    assert.deepEqual(
      fingerprint(theirs),
      fingerprint(await validate({ key: NEVER_ISSUED }, foreign)),
    )
  })

  test('gets the same answer for another app’s reference as for a forged one', async () => {
    const theirs = await lookUp(reference, foreign)
    assertRefused(theirs, 404, 'unknown_order')
    assert.deepEqual(fingerprint(theirs), fingerprint(await lookUp('forged', foreign)))
  })

  test('gets the same answer for another app’s license as for none, and cannot rotate it', async () => {
    const { license_id } = (await validate({ key })).json()
    const theirs = await rotate(license_id, foreign)
    assertRefused(theirs, 404, 'unknown_license')
    const none = await rotate(testId('lic_0000000000000000000000'), foreign)
    assert.deepEqual(fingerprint(theirs), fingerprint(none))
    assert.equal((await validate({ key })).statusCode, 200)
  })
})

const answerOf = ({ statusCode, body }: Awaited<ReturnType<typeof validate>>) => [
  statusCode,
  body.replace(/"request_id":"\w+"/, ''),
]

// The statements of one turn of the event loop are one statement.
test('requests that arrive together get the answers that each gets alone', async () => {
  const { client_id } = service.demo.app
  const unproven = { authorization: `Basic ${Buffer.from(`${client_id}:no`).toString('base64')}` }
  const unknown = { authorization: `Basic ${Buffer.from('app_none:no').toString('base64')}` }
  const requests = [own, foreign, unproven, unknown].flatMap((headers) => [
    ...[key, NEVER_ISSUED, ''].map((text) => () => validate({ key: text }, headers)),
    ...[reference, 'forged'].map((text) => () => lookUp(text, headers)),
  ])
  const alone: ReturnType<typeof answerOf>[] = []
  for (const request of requests) alone.push(answerOf(await request()))
  assert.deepEqual(new Set(alone.map(([status]) => status)), new Set([200, 404, 401]))
  const together = await Promise.all([...requests, ...requests].map((request) => request()))
  assert.deepEqual(together.map(answerOf), [...alone, ...alone])
})
