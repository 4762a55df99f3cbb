import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createServer } from '#platform/http'
import { openLog } from '#platform/log'
import type { Problem } from '#platform/problem'
import { systemRandom } from '#platform/random'

const app = createServer({
  log: openLog('silent'),
  random: systemRandom,
  secure: false,
  trusted_proxies: [],
})
let port = 0
before(async () => {
  app.setErrorHandler<Problem>(({ status, details }, _request, reply) =>
    reply.code(status).send(details),
  )
  app.get('/', async () => 'hello')
  app.post('/', { config: { refuses: true } }, async () => 'taken')
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.addresses() as unknown as [{ port: number }])[0].port
})
after(() => app.close())

/** Sends the bytes of a request and returns those of its answer. */
async function ask(method: string, headers: string[], body = '') {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const lines = [...headers, 'Connection: close'].map((header) => `${header}\r\n`).join('')
  socket.end(`${method} / HTTP/1.1\r\n${lines}\r\n${body}`)
  return await text(socket)
}

// S15
test('two Host headers are refused, and one is accepted', async () => {
  assert.match(await ask('GET', ['Host: one.example']), /^HTTP\/1.1 200/)
  const refused = await ask('GET', ['Host: one.example', 'hOST: two.example'])
  assert.match(refused, /^HTTP\/1.1 400/)
  assert.match(refused, /"fields":\[\{"path":"","message":"Send one Host header/)
})

test('a request without a Host header, or that expects what no server does, is refused', async () => {
  const host = 'Host: one.example'
  const refused: [headers: string[], status: number][] = [
    [[], 400],
    [[host, 'Expect: something'], 417],
  ]
  for (const [headers, status] of refused) {
    const [head = '', body = ''] = (await ask('GET', headers)).split('\r\n\r\n')
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} \\w`))
    assert.match(head, /^x-content-type-options: nosniff\r$/im)
    assert.match(head, /^x-request-id: req_\w{22}\r$/im)
    assert.match(JSON.parse(body).fields[0].message, /Host header|Expect header/)
  }
  const waits = await ask('POST', [host, 'Expect: 100-continue', 'Content-Length: 0'])
  assert.match(waits, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200/)
})

test('a request of HTTP/1.0 needs no Host header', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.end('GET / HTTP/1.0\r\n\r\n')
  assert.match(await text(socket), /^HTTP\/1.1 200/)
})

test('answers an invalid HTTP request with the usual error body and headers', async () => {
  const host = 'Host: one.example'
  const unreadable: [method: string, headers: string[], status: number][] = [
    ['NONSENSE', [host], 400],
    ['GET', [host, 'X-Bad: a\0b'], 400],
    ['POST', [host, 'Content-Length: abc'], 400],
    ['GET', [host, `X-Long: ${'a'.repeat(40_000)}`], 431],
  ]
  for (const [method, headers, status] of unreadable) {
    const answer = await ask(method, headers)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} \\w`), answer)
    assert.match(head, /^x-content-type-options: nosniff$/im)
    const { error, message, request_id, fields } = JSON.parse(body)
    assert.equal(error, 'invalid_request')
    assert.deepEqual(fields, [{ path: '', message }])
    assert.equal(/^x-request-id: (req_\w{22})\r$/im.exec(head)?.[1], request_id)
  }
})

test('answers an invalid request of a browser with a sentence that says what to do', async () => {
  const browser = ['Host: one.example', 'Accept: text/html,application/xhtml+xml;q=0.9']
  const cookie = `Cookie: many=${'a'.repeat(40_000)}`
  const answer = await ask('GET', [...browser, cookie])
  assert.match(answer, /^HTTP\/1.1 431 .*\r\ncontent-type: text\/plain; charset=utf-8\r\n/s)
  const sentence =
    'The request headers are too large. Delete the cookies of this site, then open the page again.'
  assert.equal(answer.split('\r\n\r\n')[1], `${sentence}\n`)
  assert.match(
    await ask('GET', [...browser, 'X-Bad: a\0b']),
    /\r\n\r\nThe request could not be read/,
  )
  // Its headers arrive in several packets, and the last one does not say who sends them.
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.setNoDelay(true)
  const parts = `GET / HTTP/1.1\r\n${browser.join('\r\n')}\r\n${cookie}`.match(/.{1,9000}/gs)!
  const answered = text(socket)
  for (const part of parts) {
    socket.write(part)
    await setTimeout(20)
  }
  assert.match(await answered, new RegExp(`^HTTP/1.1 431 .*\r\n\r\n${sentence}`, 's'))
})

test('refuses a request with two content lengths', async () => {
  const host = 'Host: one.example'
  const chunked = 'Transfer-Encoding: chunked'
  const ambiguous = [
    [host, 'Content-Length: 5', chunked],
    [host, 'Content-Length: 5', 'Content-Length: 6'],
    [host, 'Content-Length: +5'],
  ]
  for (const headers of ambiguous) {
    const answer = await ask('POST', headers, '0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n')
    assert.match(answer, /^HTTP\/1.1 400/, headers.join())
    assert.equal(answer.match(/HTTP\/1.1 /g)?.length, 1, headers.join())
  }
})

test('answers a request with a content type and no body', async () => {
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
    const answer = await ask('POST', ['Host: one.example', `Content-Type: ${type}`])
    assert.match(answer, /^HTTP\/1.1 200/, type)
  }
})

// Guards R15
test("takes a request's id from a trusted proxy, if it is one, and from nowhere else", async () => {
  const idOf = async (trusted_proxies: string[], id: string) => {
    const server = createServer({
      log: openLog('silent'),
      random: systemRandom,
      secure: false,
      trusted_proxies,
    })
    server.get('/', async () => 'hello')
    const answer = await server.inject({ url: '/', headers: { 'x-request-id': id } })
    await server.close()
    return answer.headers['x-request-id']
  }
  const id = '7f9c0a52-6b1e-4c7f-9a3e-d1f0c2b4a6e8'
  assert.equal(await idOf(['127.0.0.0/8'], id), id)
  for (const proxies of [[], ['10.0.0.0/8']]) assert.match(`${await idOf(proxies, id)}`, /^req_/)
  const wrong = ['short', 'a'.repeat(101), 'abcdefgh ijk', 'abcdefgh<b>', '-abcdefghi', 'abcdéfghi']
  for (const each of wrong) assert.match(`${await idOf(['127.0.0.1'], each)}`, /^req_/, each)
})

// A proxy sends it here until it knows better, and would show the visitor a 503.
test('answers what arrives on an open connection while it closes', async () => {
  const closing = createServer({
    log: openLog('silent'),
    random: systemRandom,
    secure: false,
    trusted_proxies: [],
  })
  closing.get('/', async () => 'hello')
  await closing.listen({ port: 0, host: '127.0.0.1' })
  const [address] = closing.addresses() as unknown as [{ port: number }]
  const connected = once(closing.server, 'connection')
  const socket = connect(address.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\n')
  await connected
  const closed = closing.close()
  while (closing.server.listening) await new Promise((resolve) => setImmediate(resolve))
  socket.write('Host: one.example\r\nConnection: close\r\n\r\n')
  assert.match(await text(socket), /^HTTP\/1\.1 200/)
  await closed
})
