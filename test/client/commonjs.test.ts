/** The CommonJS build, and a program in which both builds meet. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import process from 'node:process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import * as esm from '@purser/client'
import * as esmHono from '@purser/client/hono'
import { createTestPurser } from '@purser/client/testing'
import { Hono } from 'hono'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const cjs: typeof esm = require('@purser/client')
const cjsHono: typeof esmHono = require('@purser/client/hono')

const DETAILS = { status: 429, code: 'rate_limited', request_id: 'req_1' }
const BUILDS = { esm, cjs }

test('require gives another copy than import, with the same names', () => {
  assert.notEqual(cjs.createClient, esm.createClient)
  assert.deepEqual(Object.keys(cjs).toSorted(), Object.keys(esm).toSorted())
})

describe('errors of one build in code that loaded the other', () => {
  for (const [from, to] of [
    ['esm', 'cjs'],
    ['cjs', 'esm'],
  ] as const) {
    const here = BUILDS[from]
    const there = BUILDS[to]
    const limited = new here.RateLimitedError('Wait.', { ...DETAILS, retry_after: 3 })

    test(`${from} to ${to}: instanceof knows the class and its base class, and no other`, () => {
      const { PurserError, RateLimitedError, UnreachableError, LeaseError } = there
      assert.ok(limited instanceof RateLimitedError)
      assert.ok(limited instanceof PurserError)
      assert.ok(limited instanceof Error)
      assert.ok(!(limited instanceof UnreachableError))
      assert.ok(!(limited instanceof LeaseError))
      assert.ok(!(new here.PurserError('?', DETAILS) instanceof RateLimitedError))
      assert.ok(there.isPurserError(limited, 'rate_limited'))
      assert.ok(!there.isPurserError(limited, 'unknown_key'))
    })

    test(`${from} to ${to}: a class of the app that extends one of the library stays its own`, () => {
      class Own extends here.RateLimitedError {}
      class Other extends there.RateLimitedError {}
      const own = new Own('Wait.', { ...DETAILS, retry_after: 3 })
      assert.ok(own instanceof Own)
      assert.ok(own instanceof there.RateLimitedError)
      assert.ok(!(own instanceof Other))
      assert.ok(!(limited instanceof Own))
    })

    test(`${from} to ${to}: values that are no errors are not instances`, () => {
      const nothing = Object.setPrototypeOf({}, Object.create(null))
      for (const value of [null, undefined, 'PurserError', new Error('?'), {}, nothing]) {
        assert.equal((value as object) instanceof there.PurserError, false)
      }
    })
  }
})

test('middleware of one build answers by the errors, and shows the licenses, of the other', async () => {
  const { client, addLicense } = createTestPurser()
  const { license_key } = addLicense({ status: 'active' })
  const limited = new esm.RateLimitedError('Wait.', { ...DETAILS, retry_after: 3 })
  const app = new Hono()
  app.get('/', cjsHono.requireLicense(client), (c) => c.text(esmHono.licenseOf(c).status))
  app.get('/limited', cjsHono.requireLicense({ validate: () => Promise.reject(limited) }))
  const answerTo = (path: string, key: string) =>
    app.request(path, { headers: { authorization: `Bearer ${key}` } })
  const entitled = await answerTo('/', license_key)
  assert.deepEqual([entitled.status, await entitled.text()], [200, 'active'])
  assert.equal((await answerTo('/', 'key_unknown')).status, 401)
  const waiting = await answerTo('/limited', license_key)
  assert.deepEqual([waiting.status, waiting.headers.get('retry-after')], [503, '3'])
})

test('an Express app in CommonJS with the test double needs require only', async () => {
  const code = `
    const { createTestPurser } = require('@purser/client/testing')
    const { requireLicense } = require('@purser/client/express')
    const { PurserError } = require('@purser/client')
    const { client, addLicense } = createTestPurser()
    const { license_key } = addLicense({ status: 'trialing' })
    const request = { headers: { authorization: 'Bearer ' + license_key } }
    requireLicense(client)(request, {}, async () => {
      const error = await client.validate('key_unknown').catch((error) => error)
      console.log(request.license.status, error instanceof PurserError)
    })`
  const { stdout } = await run(process.execPath, ['--input-type=commonjs', '--eval', code], {
    timeout: 20_000,
  })
  assert.equal(stdout, 'trialing true\n')
})
