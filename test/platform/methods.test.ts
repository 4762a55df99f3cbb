import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { type InjectOptions } from 'fastify'
import { refuseOtherMethods } from '#platform/methods'
import { Problem } from '#platform/problem'

type Method = NonNullable<InjectOptions['method']>

const app = Fastify({ routerOptions: { ignoreTrailingSlash: true, maxParamLength: 20 } })
refuseOtherMethods(app)
app.setErrorHandler((error, _request, reply) => {
  if (!(error instanceof Problem)) throw error
  return reply
    .code(error.status)
    .headers(error.details.headers ?? {})
    .send()
})
const answer = async () => 'done'
app.get('/books/:book', answer)
app.post('/books/:name', answer)
app.get('/books/new', answer)
app.get('/years/:year(^\\d{4}$).pdf', answer)
app.get('/files/*', answer)

const cases: [method: Method, url: string, status: number, allow?: string][] = [
  ['GET', '/books/one', 200],
  ['DELETE', '/books/one', 405, 'GET, HEAD, POST'],
  ['DELETE', '/books/one/?page=2', 405, 'GET, HEAD, POST'],
  ['OPTIONS', '/books/on%65', 405, 'GET, HEAD, POST'],
  ['PUT', '/book%73/new', 405, 'GET, HEAD'],
  ['POST', '/years/2026.pdf', 405, 'GET, HEAD'],
  ['POST', '/years/last.pdf', 404],
  ['POST', '/books/', 404],
  ['GET', '/books/a-title-of-more-than-twenty-characters', 414],
  ['POST', '/files/one', 404],
  ['POST', '/nothing', 404],
]

for (const [method, url, status, allow] of cases) {
  test(`answers ${method} ${url} with ${status}`, async () => {
    const { statusCode, headers } = await app.inject({ method, url })
    assert.equal(statusCode, status)
    assert.equal(headers.allow, allow)
  })
}
