import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as apps from '#domain/apps'
import { BAD_RETURN_URLS, GOOD_RETURN_URLS } from '../support/return-urls.ts'

const WEBSITE = 'https://tidepool.example'
const read = (text: string) => apps.readReturnUrl(text, WEBSITE)

test('accepts the registered host, its subdomains, and loopback addresses', () => {
  for (const [text, resolved] of GOOD_RETURN_URLS) assert.equal(read(text)?.href, resolved, text)
})

test('every other address is refused', () => {
  for (const text of BAD_RETURN_URLS) assert.equal(read(text), undefined, text)
})

test('accepts 2,048 characters, and rejects one more', () => {
  const url = `${WEBSITE}/`.padEnd(2048, 'a')
  assert.equal(read(url)?.href, url)
  assert.equal(read(`${url}a`), undefined)
})

test('ignores a leading www. of the registered website', () => {
  for (const website of ['https://www.tidepool.example/home', 'https://tidepool.example']) {
    for (const host of ['tidepool.example', 'www.tidepool.example', 'a.tidepool.example']) {
      assert.ok(apps.readReturnUrl(`https://${host}/`, website), `${host} of ${website}`)
    }
  }
})

test('never accepts a public suffix as the registered host', () => {
  for (const [website, other] of [
    ['https://www.example', 'https://evil.example/'],
    ['https://www.co.uk', 'https://evil.co.uk/'],
    ['https://www.github.io', 'https://evil.github.io/'],
  ] as const) {
    assert.equal(apps.readReturnUrl(other, website), undefined)
    assert.ok(apps.readReturnUrl(`${website}/back`, website))
  }
})

/** Parts of addresses, good and bad, of which a fuzzer puts hostile ones together. */
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('https://', 'http://', '//', '/', '\\', '@', ':', '.') },
  {
    weight: 4,
    arbitrary: fc.constantFrom('tidepool.example', 'evil.example', 'localhost', '127.0.0.1'),
  },
  { weight: 2, arbitrary: fc.constantFrom('%2f', '%5c', '%40', '%00', '%09', '?', '#', ';', ',') },
  { weight: 2, arbitrary: fc.constantFrom('[::1]', '::', '0x7f', ':443', ':80', '\t', '\n', ' ') },
  { weight: 1, arbitrary: fc.constantFrom('ｔ', '。', '\u00ad', '\u200d', 'ſ', 'ß', '\u2028') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
)

test('any accepted address leads to the registered host or the loopback, in any spelling', () => {
  const hostile = fc.tuple(
    fc.constantFrom('', 'https://', 'http://', 'https://tidepool.example', 'https://a.'),
    fc.array(part, { maxLength: 7 }),
  )
  let taken = 0
  fc.assert(
    fc.property(hostile, ([start, parts]) => {
      const text = start + parts.join('')
      const url = read(text)
      if (!url) return
      taken++
      // What a browser makes of the very text, and of what we send it to.
      for (const each of [new URL(text), new URL(url.href)]) {
        assert.equal(each.href, url.href)
        assert.equal(each.username + each.password, '')
        assert.match(each.hostname, /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\[::1\]$/)
        const isLoopback = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(each.hostname)
        if (isLoopback) {
          assert.match(each.protocol, /^https?:$/)
          continue
        }
        assert.match(each.hostname, /^(.+\.)?tidepool\.example$/)
        assert.deepEqual([each.protocol, each.port], ['https:', ''])
      }
    }),
    { numRuns: 50_000, seed: 1 },
  )
  assert.ok(taken > 500, `the fuzzer found only ${taken} that are taken`)
})

test('the order reference replaces an existing one, and everything else stays the same byte for byte', () => {
  const name = 'svc_order'
  for (const [address, expected] of [
    ['https://a.example/', 'https://a.example/?svc_order=R'],
    ['https://a.example/p#f', 'https://a.example/p?svc_order=R#f'],
    ['https://a.example/?', 'https://a.example/?svc_order=R'],
    ['https://a.example/?a=1&b=2#f?x=1', 'https://a.example/?a=1&b=2&svc_order=R#f?x=1'],
    ['https://a.example/?svc_order=old', 'https://a.example/?svc_order=R'],
    ['https://a.example/?svc_order=1&a=1&svc_order=2', 'https://a.example/?a=1&svc_order=R'],
    ['https://a.example/?svc_order&a', 'https://a.example/?a&svc_order=R'],
    ['https://a.example/?%73vc_%6frder=x&a=', 'https://a.example/?a=&svc_order=R'],
    ['https://a.example/?SVC_ORDER=x', 'https://a.example/?SVC_ORDER=x&svc_order=R'],
    ['https://a.example/?svc_order2=x', 'https://a.example/?svc_order2=x&svc_order=R'],
    ['https://a.example/?a=b+c%20d&e=%2B&f=%c3%A9', null],
    ['https://a.example/?a=1&a=2&a=%31&=x&b==;c', null],
    ['https://a.example/%7euser/?q=[]{}|`^#!/route?svc_order=kept', null],
  ] as const) {
    const [before = '', fragment] = address.split('#')
    const plain = `${before}&svc_order=R${fragment === undefined ? '' : `#${fragment}`}`
    assert.equal(apps.withParameter(address, name, 'R'), expected ?? plain)
  }
})

test('a seller may register https on a domain of their own, or a loopback address', () => {
  for (const good of ['https://a.example', 'https://shop.a.co.uk/', 'http://localhost:4001']) {
    assert.ok(apps.isRegistrable(good), good)
  }
  const bad = ['http://a.example', 'https://co.uk', 'https://com', 'https://github.io', 'nonsense']
  bad.push('https://a.example:8443', 'https://user@a.example', 'https://10.0.0.1', '')
  for (const each of bad) assert.ok(!apps.isRegistrable(each), each)
})
