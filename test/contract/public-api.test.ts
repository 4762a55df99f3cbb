import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cents, parseAmount } from '#platform/money'
import { APP, PLANS } from '../../src/demo/cast.ts'
import { assertLimited, assertRefused, fingerprint } from '../support/answers.ts'
import { addApp, changePrice, setOnSale } from '../support/apps.ts'
import { openTestDatabase } from '../support/database.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { untilAnnounced } from '../support/until-announced.ts'

let service: TestService
let profileUrl: string
let pricesUrl: string
before(async () => {
  service = await openTestService()
  profileUrl = `/api/v1/public/apps/${service.demo.app.client_id}/`
  pricesUrl = `${profileUrl}prices/`
})
after(() => service.close())

const get = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url, headers })

const both = () => [profileUrl, pricesUrl]

describe('what the public endpoints return', () => {
  test('a profile is the six fields of the specification and nothing else', async () => {
    const answer = await get(profileUrl)
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), /^application\/json\b/)
    assert.deepEqual(answer.json(), {
      client_id: service.demo.app.client_id,
      name: APP.name,
      tagline: APP.tagline,
      listing_mode: 'marketplace',
      url: APP.url,
      marketplace_url: `${service.world.config.base_url}/apps/${APP.slug}/`,
    })
  })

  test('prices are the four fields, and each price the eight of the specification', async () => {
    const { prices, ...rest } = (await get(pricesUrl)).json()
    const { client_id } = service.demo.app
    assert.deepEqual(rest, { client_id, app_name: APP.name, has_free_tier: true })
    const names = PLANS.flatMap((plan) => plan.prices.map(() => plan.name))
    const known = service.demo.app.prices
    assert.deepEqual(
      prices,
      known.map(({ public_id, frequency, amount }, index) => ({
        public_id,
        product_id: prices[index].product_id,
        product_name: names[index],
        amount,
        currency: 'usd',
        is_recurring: frequency !== null,
        frequency,
        buy_url: `${service.world.config.base_url}/buy/${public_id}/`,
      })),
    )
    for (const { public_id, product_id } of prices) {
      assert.match(public_id, /^prc_[0-9A-Za-z]{22}$/)
      assert.match(product_id, /^prod_[0-9A-Za-z]{22}$/)
    }
    assert.deepEqual(
      known.map(({ amount, frequency }) => [amount, frequency]),
      [
        ['12.00', 'month'],
        ['96.00', 'year'],
        ['180.00', null],
      ],
    )
    assert.equal(prices[0]?.product_id, prices[1]?.product_id)
  })

  test('a free tier is a flag and never a row', async () => {
    const { client_id } = await addApp(service, { slug: 'paid-only' })
    const paid = (await get(`/api/v1/public/apps/${client_id}/prices/`)).json()
    assert.equal(paid.has_free_tier, false)
    const { has_free_tier, prices } = (await get(pricesUrl)).json()
    assert.equal(has_free_tier, true)
    assert.ok(prices.every((price: { product_name: string }) => price.product_name !== 'Free'))
  })

  test('every buy_url opens the checkout', async () => {
    for (const { buy_url } of (await get(pricesUrl)).json().prices) {
      const page = await service.app.inject({ url: new URL(buy_url).pathname })
      assert.equal(page.statusCode, 200)
      assert.match(page.body, /Your details/)
    }
  })

  test('an amount is a text with two decimals, however large or small', async () => {
    const cases: [number, string][] = [
      [100, '1.00'],
      [101, '1.01'],
      [1050, '10.50'],
      [9_999_999, '99999.99'],
    ]
    for (const [index, [amount, text]] of cases.entries()) {
      const { client_id } = await addApp(service, {
        slug: `amount-${index}`,
        amount: cents(amount),
      })
      const { prices } = (await get(`/api/v1/public/apps/${client_id}/prices/`)).json()
      assert.equal(prices[0].amount, text)
    }
  })
})

describe('requests', () => {
  test('with and without a slash at the end the answer is the same, without a redirect', async () => {
    for (const url of both()) {
      const slashed = await get(url)
      const bare = await get(url.slice(0, -1))
      assert.equal(slashed.statusCode, 200)
      assert.deepEqual(fingerprint(bare), fingerprint(slashed))
    }
  })

  test('HEAD answers as GET, without the body', async () => {
    for (const url of both()) {
      const whole = await get(url)
      const head = await service.app.inject({ method: 'HEAD', url })
      assert.deepEqual(fingerprint(head), { ...fingerprint(whole), body: '' })
    }
  })

  test('another method is 405 and names those that are allowed', async () => {
    for (const url of both()) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        const answer = await service.app.inject({ method, url })
        assertRefused(answer, 405, 'method_not_allowed')
        assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
      }
    }
  })

  test('a preflight is answered', async () => {
    for (const url of both()) {
      const answer = await service.app.inject({
        method: 'OPTIONS',
        url,
        headers: {
          origin: 'https://tidepool.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-anything',
        },
      })
      assert.equal(answer.statusCode, 204)
      assert.equal(answer.body, '')
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.match(String(answer.headers['access-control-allow-methods']), /\bGET\b/)
    }
  })

  test('scripts of every site may read answers and errors', async () => {
    const unknown = '/api/v1/public/apps/app_0000000000000000000000'
    const urls = [...both(), unknown, `${unknown}/prices/`, `${unknown}${'0'.repeat(900)}/`]
    const astray = ['', 'plans/', 'apps/%00/', 'apps/%ff/'].map((path) => `/api/v1/public/${path}`)
    const requests = [
      ...[...urls, ...astray].map((url) => ({ method: 'GET', url }) as const),
      { method: 'POST', url: urls[0]! } as const,
    ]
    for (const { method, url } of requests) {
      const headers = { origin: 'https://anywhere.example' }
      const answer = await service.app.inject({ method, url, headers })
      assert.equal(answer.headers['access-control-allow-origin'], '*', url)
      // F19
      assert.deepEqual(String(answer.headers['access-control-expose-headers']).split(', '), [
        'ETag',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'X-Request-Id',
      ])
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('every answer carries a request id of its own', async () => {
    const urls = [...both(), '/api/v1/public/apps/x/', '/nowhere', '/api/v1/public/apps/%zz/']
    const ids = new Set<string>()
    for (const url of urls) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST'] as const) {
        const answer = await service.app.inject({ method, url })
        assert.match(String(answer.headers['x-request-id']), /^req_\w{22}$/, `${method} ${url}`)
        ids.add(String(answer.headers['x-request-id']))
      }
    }
    assert.equal(ids.size, urls.length * 4)
  })
})

describe('caching', () => {
  test('answers may be kept for a minute', async () => {
    for (const url of both()) {
      const { headers } = await get(url)
      assert.equal(headers['cache-control'], 'public, max-age=60')
      assert.equal(headers.vary, undefined)
    }
  })

  test('an answer that is known already is 304, and another is not', async () => {
    for (const url of both()) {
      const etag = String((await get(url)).headers.etag)
      assert.match(etag, /^"[\w-]+"$/)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await get(url, { 'if-none-match': known })
        assert.equal(answer.statusCode, 304, known)
        assert.equal(answer.body, '')
        assert.equal(answer.headers.etag, etag)
        assert.equal(answer.headers['cache-control'], 'public, max-age=60')
        assert.equal(answer.headers['access-control-allow-origin'], '*')
      }
      for (const known of ['"other"', etag.slice(1, -1), '']) {
        assert.equal((await get(url, { 'if-none-match': known })).statusCode, 200, known)
      }
    }
  })

  test('a changed price is in the very next answer, under another tag', async () => {
    const { client_id, price_id } = await addApp(service, { slug: 'changing' })
    const url = `/api/v1/public/apps/${client_id}/prices/`
    const { etag } = (await get(url)).headers
    for (const amount of ['7.00', '9.00', '11.00']) {
      await changePrice(service, { id: price_id, amount: parseAmount(amount)! })
      const next = await untilAnnounced(
        () => get(url, { 'if-none-match': String(etag) }),
        ({ body }) => body.includes(`"amount":"${amount}"`),
      )
      assert.equal(next.statusCode, 200)
      assert.notEqual(next.headers.etag, etag)
    }
  })

  // R9
  test('a change whose announcement is lost is answered within a minute', async () => {
    const db = { ...(await openTestDatabase()), listen: async () => {} }
    const deaf = await openTestService({ db })
    try {
      const { client_id, prices } = deaf.demo.app
      const url = `/api/v1/public/apps/${client_id}/prices/`
      const ask = async () => (await deaf.app.inject({ url })).body
      const before = await ask()
      await changePrice(deaf, { id: prices[0]!.public_id, amount: parseAmount('13.00')! })
      deaf.clock.pass(59)
      assert.equal(await ask(), before)
      deaf.clock.pass(1)
      assert.match(await ask(), /"amount":"13\.00"/)
      await changePrice(deaf, { id: prices[0]!.public_id, amount: parseAmount('14.00')! })
      // Setting the clock back extends nothing.
      deaf.clock.pass(-3600)
      assert.match(await ask(), /"amount":"14\.00"/)
    } finally {
      await deaf.close()
    }
  })

  test('an unpublished app is gone with the next request', async () => {
    const { client_id } = await addApp(service, { slug: 'leaving' })
    const url = `/api/v1/public/apps/${client_id}/`
    assert.equal((await get(url)).statusCode, 200)
    await setOnSale(service, client_id, { is_published: true, external_sales_enabled: false })
    await untilAnnounced(
      () => get(url),
      ({ statusCode }) => statusCode === 404,
    )
  })
})

describe('what they do not reveal', () => {
  test('unknown, unpublished and not enabled apps answer identically', async () => {
    const hidden = [
      { is_published: false, external_sales_enabled: true },
      { is_published: true, external_sales_enabled: false },
      { is_published: false, external_sales_enabled: false },
    ]
    const ids = ['app_0000000000000000000000', 'x', 'prc_1', '%F0%9F%8C%8A', 'a'.repeat(600)]
    for (const [index, state] of hidden.entries()) {
      ids.push((await addApp(service, { slug: `hidden-${index}`, ...state })).client_id)
    }
    for (const end of ['/', '/prices/']) {
      const answers = []
      for (const id of ids) answers.push(await get(`/api/v1/public/apps/${id}${end}`))
      for (const answer of answers) {
        assertRefused(answer, 404, 'not_found')
        assert.equal(answer.headers['cache-control'], 'public, max-age=60')
        assert.deepEqual(fingerprint(answer), fingerprint(answers[0]!))
      }
    }
  })
})

describe('limits', () => {
  const from = (remoteAddress: string, url = pricesUrl) =>
    service.app.inject({ url, remoteAddress })

  test('accepts 120 requests a minute from one address, then 429; another address is free', async () => {
    for (let count = 1; count <= 120; count++) {
      const answer = await from('203.0.113.1', count % 2 === 0 ? pricesUrl : profileUrl)
      assert.equal(answer.statusCode, 200)
      assert.equal(answer.headers['ratelimit-policy'], '"public";q=120;w=60')
      const ratelimit = /^"public";r=(\d+);t=([1-9]\d*)$/.exec(String(answer.headers.ratelimit))
      assert.equal(Number(ratelimit?.[1]), 120 - count)
      assert.ok(Number(ratelimit?.[2]) <= 60)
    }
    for (const url of [pricesUrl, profileUrl, '/api/v1/public/apps/unknown/']) {
      const answer = await from('203.0.113.1', url)
      assertLimited(answer)
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.match(String(answer.headers.ratelimit), /^"public";r=0;t=[1-9]/)
    }
    assert.equal((await from('203.0.113.2')).statusCode, 200)
  })

  test('an invented X-Forwarded-For changes nothing', async () => {
    const remainders = []
    for (const forged of ['198.51.100.1', '198.51.100.2']) {
      const answer = await service.app.inject({
        url: pricesUrl,
        remoteAddress: '203.0.113.3',
        headers: { 'x-forwarded-for': forged },
      })
      remainders.push(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])
    }
    assert.deepEqual(remainders, ['119', '118'])
  })

  test('one IPv6 network is one caller, whatever address of it asks', async () => {
    const remainders = []
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1']) {
      const answer = await from(address)
      remainders.push(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])
    }
    assert.deepEqual(remainders, ['119', '118', '119'])
  })
})
