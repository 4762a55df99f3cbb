import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { openLog } from '#platform/log'
import { assertInvariants } from '../support/invariants.ts'
import {
  basic,
  buyer,
  enterCard,
  goToConfirm,
  licenseKey,
  orderReference,
} from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

const lines: string[] = []
let service: TestService
before(async () => {
  const log = openLog('debug', { write: (line) => lines.push(line) })
  service = await openTestService({ log })
})
after(() => service.close())

let callers = 0

/** Sends a request from a separate address, so that no rate limit responds. */
async function send(options: InjectOptions) {
  const remoteAddress = `10.8.${callers >> 8}.${callers++ & 255}`
  return await service.app.inject({ ...options, remoteAddress })
}

async function assertNoBug(options: InjectOptions) {
  const answer = await send(options)
  const summary = `${answer.statusCode} for ${JSON.stringify(options)}: ${answer.body.slice(0, 200)}`
  assert.ok(answer.statusCode < 500, summary)
  assert.match(String(answer.headers['x-request-id']), /^req_\w{22}$/, summary)
}

const GOOD = { email: 'good@example.com', country: 'US', zip: '78701', by: 'password' }

describe('no input is an error of ours', () => {
  const strange = () =>
    fc.oneof(
      fc.constantFrom('\0', 'a\0b@example.com', '%00', '\ud800', '\uffff', '\u202e', '🌊'),
      fc.constantFrom('__proto__', 'constructor', '../../etc', '%2e%2e%2f', '\r\n', "' or 1=1 --"),
      fc.constantFrom('-1', '1e999', 'NaN', 'null', '{}', '[]', 'true', 'x'.repeat(5000)),
      fc.string({ unit: 'binary', maxLength: 40 }),
    )
  const json = () => fc.jsonValue({ depthSize: 'small' })

  test('of the program surfaces, whatever path, headers and body contain', async () => {
    const { client_id } = service.demo.app
    const paths = (word: string) => [
      `/api/v1/public/apps/${word}/`,
      `/api/v1/public/apps/${word}/prices/`,
      `/api/v1/orders/${word}`,
      `/api/v1/licenses/${word}/regenerate-key`,
      '/api/v1/licenses/validate',
      `/${word}`,
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'),
        fc.nat({ max: 5 }),
        strange(),
        fc.oneof(json(), fc.record({ key: strange() }), fc.record({ reason: strange() })),
        fc.constantFrom('application/json', 'application/json; charset=latin1', 'text/plain', 'x'),
        fc.constantFrom(basic(service).authorization, `Basic ${btoa(`${client_id}:\0`)}`, 'Basic'),
        async (method, which, word, body, type, authorization) => {
          await assertNoBug({
            method: method as 'GET',
            url: paths(encodeURIComponent(word.toWellFormed()))[which]!,
            headers: { authorization, 'content-type': type },
            ...(method === 'POST' ? { payload: JSON.stringify(body) } : {}),
          })
        },
      ),
      { numRuns: 300, seed: 1 },
    )
  })

  test('nor are invalid UTF-8, a broken escape or a broken body', async () => {
    const { authorization } = basic(service)
    const headers = { authorization, 'content-type': 'application/json' }
    const url = '/api/v1/licenses/validate'
    for (const payload of [
      Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      Buffer.from('{"key":"a\0b"}'),
      Buffer.from('\ufeff{"key":"a"}'),
      Buffer.from(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
      Buffer.from(`{"key":${'9'.repeat(400)}}`),
    ]) {
      await assertNoBug({ method: 'POST', url, headers, payload })
    }
    for (const path of ['/%', '/api/v1/orders/%zz', '/%c0%af', '/buy/%ff/', '/%00', '//', '/.']) {
      await assertNoBug({ url: path, headers: { accept: 'text/html' } })
    }
  })

  test('of the pages, whatever the query, the cookies and the form contain', async () => {
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: 'fuzz@example.com' })
    const { csrf_token = '', agreement = '' } = agent.form(/^Pay /)
    const cart = agent.page.url.split('/')[2]
    const price = service.demo.app.prices[0]!.public_id
    const forms = [
      `/buy/${price}/`,
      `/checkout/${cart}/confirm`,
      `/checkout/${cart}/sign-in`,
      '/signin/',
    ]
    const fields = fc.dictionary(
      fc.constantFrom(
        'email',
        'zip',
        'country',
        'next',
        'agreement',
        'password',
        'by',
        'return_to',
      ),
      strange(),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        fields,
        fields,
        strange(),
        async (url, form, query, cookie) => {
          const search = new URLSearchParams(query)
          search.append('email', 'twice')
          const cookies = `${agent.cookie}; __Host-ref=${encodeURIComponent(cookie.toWellFormed())}`
          await assertNoBug({ url: `${url}?${search}`, headers: { cookie: cookies } })
          const body = new URLSearchParams({ csrf_token, agreement, ...GOOD, ...form }).toString()
          for (const payload of [body, body.replaceAll('%00', '\0')]) {
            await assertNoBug({
              method: 'POST',
              url,
              headers: { cookie: cookies, 'content-type': 'application/x-www-form-urlencoded' },
              payload,
            })
          }
        },
      ),
      { numRuns: 60, seed: 1 },
    )
  })

  test('a NUL in a form is refused, however it is written', async () => {
    const agent = buyer(service)
    await agent.open('/signin/')
    const { csrf_token = '' } = agent.form('Sign in')
    for (const nul of ['%00', '\0']) {
      for (const field of ['email', 'password', 'return_to', 'by', 'anything']) {
        const fields = new URLSearchParams({ csrf_token, ...GOOD, password: 'x', [field]: '' })
        const answer = await send({
          method: 'POST',
          url: '/signin/',
          headers: { cookie: agent.cookie, 'content-type': 'application/x-www-form-urlencoded' },
          payload: `${fields}&${field}=a${nul}b@example.com`,
        })
        assert.equal(answer.statusCode, 400)
      }
    }
  })

  test('a NUL in a query is malformed, and in a path there is nothing', async () => {
    const buy = `/buy/${service.demo.app.prices[0]!.public_id}/`
    const profile = `/api/v1/public/apps/${service.demo.app.client_id}/`
    for (const url of [`${buy}?next=%00`, `${buy}?email=a%00&ref=b`, `${profile}?a=%00`]) {
      assert.equal((await send({ url })).statusCode, 400, url)
    }
    for (const url of [`${buy}%00`, `${profile}%00?a=1`]) {
      assert.equal((await send({ url })).statusCode, 404, url)
    }
  })

  test('a page takes forms and nothing else', async () => {
    const price = service.demo.app.prices[0]!.public_id
    const tokens = [{ length: 1e9 }, 5, null, ['x'], { type: 'Buffer', data: [] }]
    for (const csrf_token of tokens) {
      const answer = await send({
        method: 'POST',
        url: `/buy/${price}/`,
        payload: { csrf_token, email: 'a@example.com' },
      })
      assert.equal(answer.statusCode, 415)
    }
  })
})

test('the log contains no secret, even at its most verbose level', async () => {
  const { app } = service.demo
  const agent = buyer(service)
  const email = 'quiet-buyer@example.com'
  await goToConfirm(service, agent, { email, card: '4000000000000002' })
  const { csrf_token } = agent.form(/^Pay /)
  await agent.submit(/^Pay /)
  await agent.open(`${agent.page.url.replace(/confirm.*/, 'card')}`)
  await enterCard(agent, '5555555555554444')
  const page = await agent.submit(/^Pay /)
  const key = licenseKey(page)
  const reference = orderReference(page)
  const headers = basic(service)
  const license = await send({ url: `/api/v1/orders/${reference}`, headers })
  await send({ url: `/api/v1/orders/${reference}x`, headers })
  for (const body of [{ key }, { key, extra: key }, { key: `${key}x` }]) {
    await send({ method: 'POST', url: '/api/v1/licenses/validate', headers, payload: body })
  }
  const { license_id } = license.json()
  const url = `/api/v1/licenses/${license_id}/regenerate-key`
  const rotated = await send({ method: 'POST', url, headers, payload: { reason: key } })
  const wrong = 'a password that was tried'
  const signin = buyer(service)
  await signin.open('/signin/')
  await signin.submit('Sign in', { email, password: wrong })
  await send({ url: `/buy/${app.prices[0]!.public_id}/?email=${email}&next=https://x.example/` })
  const log = lines.join('')
  assert.ok(lines.length > 10)
  assert.ok(log.includes('/api/v1/orders/:ref'), 'the log names routes and not addresses')
  const secrets = [key, reference, rotated.json().license_key, app.client_secret, wrong, email]
  secrets.push(csrf_token!, '5555555555554444', '4000000000000002', headers.authorization.slice(6))
  secrets.push(...agent.cookies.values())
  for (const secret of secrets) assert.ok(!log.includes(secret), `the log contains ${secret}`)
})

test('keeps every invariant', () => assertInvariants(service))
