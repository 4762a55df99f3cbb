import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const get = (url: string, headers: Record<string, string>) => service.app.inject({ url, headers })

// Guards F55
describe('compression', () => {
  const PUBLIC = [
    '/',
    '/apps/tidepool/',
    '/terms/',
    '/docs/agents/',
    '/api/v1/schema/',
    '/changelog/',
  ]

  test('applies to public pages and files, which stay the same', async () => {
    for (const url of PUBLIC) {
      const plain = await get(url, {})
      assert.equal(plain.headers['content-encoding'], undefined, url)
      const br = await get(url, { 'accept-encoding': 'gzip, br' })
      assert.equal(br.headers['content-encoding'], 'br', url)
      assert.match(String(br.headers.vary), /accept-encoding/i, url)
      const unpacked = brotliDecompressSync(br.rawPayload).toString()
      // The links of a product page are signed for each view.
      const same = (text: string) => text.replaceAll(/via=[\w.-]+/g, '')
      assert.equal(same(unpacked), same(plain.body), url)
      assert.ok(br.rawPayload.length < plain.rawPayload.length / 2, url)
      const gzip = await get(url, { 'accept-encoding': 'gzip' })
      assert.equal(gzip.headers['content-encoding'], 'gzip', url)
      assert.equal(same(gunzipSync(gzip.rawPayload).toString()), same(plain.body), url)
    }
  })

  test('is named by the headers for caches, whether an answer is compressed or not', async () => {
    for (const url of ['/api/v1/schema/', '/api/v1/schema/3.0/', '/docs/search.json']) {
      const answers = [await get(url, {}), await get(url, { 'accept-encoding': 'gzip' })]
      for (const { headers } of answers) {
        assert.match(String(headers.vary), /accept-encoding/i, url)
        // The bytes differ, so the tag of both is weak (RFC 9110, 8.8.3).
        assert.match(String(headers.etag), /^W\/"/, url)
      }
      const [plain, gzip] = answers.map(({ headers }) => headers.etag)
      assert.equal(plain, gzip, url)
    }
    for (const url of PUBLIC) {
      const { vary } = (await get(url, {})).headers
      assert.match(String(vary), /accept-encoding/i, url)
    }
  })

  test('applies to the stylesheet and the script, which the build compresses', async () => {
    const { body } = await get('/', {})
    for (const [url] of body.matchAll(/\/assets\/[\w.-]+\.(?:css|js)/g)) {
      const br = await get(url, { 'accept-encoding': 'br' })
      assert.equal(br.headers['content-encoding'], 'br', url)
      assert.match(String(br.headers['cache-control']), /immutable/)
      assert.equal(brotliDecompressSync(br.rawPayload).toString(), (await get(url, {})).body)
    }
  })

  // BREACH: the length of a compressed answer can reveal a secret in it.
  test('never applies to an answer with a form token, or to pages and JSON of one person', async () => {
    const accepts = { 'accept-encoding': 'gzip, br' }
    const agent = await signedIn(service, service.demo.seller)
    for (const url of [...PUBLIC.slice(0, 4), '/account/', '/dashboard/']) {
      const answer = await get(url, { ...accepts, cookie: agent.cookie })
      assert.equal(answer.statusCode, 200, url)
      assert.match(answer.body, /csrf_token/, url)
      assert.equal(answer.headers['content-encoding'], undefined, url)
    }
    for (const url of ['/signin/', `/buy/${service.demo.app.prices[0]!.public_id}/`]) {
      assert.equal((await get(url, accepts)).headers['content-encoding'], undefined, url)
    }
  })
})
