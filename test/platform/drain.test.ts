import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openDrain } from '#platform/drain'
import { createServer } from '#platform/http'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'

const HOUR_MS = 3_600_000
const LONG = { asked: HOUR_MS, refused: HOUR_MS, quiet: 100 }

async function serverWith(limits: Parameters<typeof openDrain>[0], trusted_proxies: string[]) {
  const drain = openDrain(limits)
  const app = createServer({
    log: openLog('silent'),
    random: systemRandom,
    secure: false,
    trusted_proxies,
    drain,
  })
  app.get('/', async () => 'page')
  app.get('/healthz', { config: { quiet: true } }, async () => 'ok')
  app.post('/', { config: { refuses: true } }, async () => 'taken')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const [{ port }] = app.addresses() as unknown as [{ port: number }]
  /** Sends a request on a connection that stays open unless the server closes it. */
  const ask = async (method: string, path = '/') => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: one.example\r\nContent-Length: 0\r\n\r\n`)
    return await text(socket)
  }
  return { app, drain, ask, port }
}

test('a server that drains answers, and closes each connection', async () => {
  const { app, drain, ask } = await serverWith(LONG, ['127.0.0.1'])
  void drain.run()
  assert.match(await ask('GET'), /^HTTP\/1\.1 200.+connection: close.+page$/is)
  assert.match(await ask('POST'), /^HTTP\/1\.1 200.+connection: close.+taken$/is)
  await app.close()
})

test('refuses what its proxy repeats at another node in the end, and nothing else', async () => {
  const late = { ...LONG, asked: 0 }
  const behind = await serverWith(late, ['127.0.0.1'])
  void behind.drain.run()
  assert.match(await behind.ask('GET'), /^HTTP\/1\.1 503.+connection: close/is)
  assert.match(await behind.ask('HEAD'), /^HTTP\/1\.1 503/)
  assert.match(await behind.ask('POST'), /^HTTP\/1\.1 200/)
  assert.match(await behind.ask('GET', '/healthz'), /^HTTP\/1\.1 200/)
  await behind.app.close()

  const alone = await serverWith(late, [])
  void alone.drain.run()
  assert.match(await alone.ask('GET'), /^HTTP\/1\.1 200/)
  await alone.app.close()
})

test('a drain ends when no request but health checks arrives, and in any case in time', async () => {
  const quiet = await serverWith(LONG, [])
  const ended = quiet.drain.run()
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver) await quiet.ask('GET', '/healthz')
  await quiet.app.close()

  const busy = await serverWith({ asked: 50, refused: 50, quiet: HOUR_MS }, [])
  await busy.drain.run()
  await busy.app.close()
})

test('a drain ends only after the requests that arrived are read', async (t) => {
  const { app, drain, port } = await serverWith({ ...LONG, quiet: 30 }, [])
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const { mock } = t.mock.method(drain, 'note')
  const read = drain.run().then(() => mock.callCount())
  // As for a busy process: when it gets to it, the request is there and the time has passed.
  setImmediate(() => {
    socket.write('POST / HTTP/1.1\r\nHost: one.example\r\nContent-Length: 0\r\n\r\n')
    const start = performance.now()
    while (performance.now() - start < 100);
  })
  assert.equal(await read, 1)
  assert.match(await text(socket), /^HTTP\/1\.1 200.+taken$/is)
  await app.close()
})

test('a pause of a proxy that was not refused yet ends no drain', async () => {
  const { app, drain, ask } = await serverWith({ asked: 300, refused: HOUR_MS, quiet: 20 }, [
    '127.0.0.1',
  ])
  const ended = drain.run()
  await ask('POST')
  await ended
  assert.equal(drain.refuses, true)
  await app.close()
})
