import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asset } from '#platform/assets'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const ask = (url: string, headers = {}) => service.app.inject({ url, headers })

test('a built file may be cached for a year, compressed or not', async () => {
  for (const headers of [{}, { 'accept-encoding': 'br' }]) {
    const answer = await ask(asset('app.css'), headers)
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), /^text\/css/)
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(
      answer.headers['content-encoding'],
      'accept-encoding' in headers ? 'br' : undefined,
    )
  }
})

// While two releases run side by side, either may be asked for the other's files.
test('answers a file name of another release with the current file, uncached', async () => {
  const present = await ask(asset('app.css'))
  const answer = await ask('/assets/app-0123456789ab.css')
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.body, present.body)
  assert.equal(answer.headers['cache-control'], 'no-store')
})

test('any other name is not found', async () => {
  const names = ['other-0123456789ab.css', 'app.css', 'inputs-0123456789ab.css', 'manifest.json']
  for (const name of [...names, 'manifest-0123456789ab.json', '..%2fpackage.json', '__proto__']) {
    assert.equal((await ask(`/assets/${name}`)).statusCode, 404, name)
  }
})

// Anyone can request such a path: it must not alarm staff as an unhandled error.
test('a path that leaves the folder is not found', async () => {
  for (const path of ['..%2fx', '..%2f..%2fx.css', '%2e%2e%2f%2e%2e%2fetc/passwd']) {
    assert.equal((await ask(`/assets/${path}`)).statusCode, 404, path)
  }
})
