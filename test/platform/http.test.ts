import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createServer } from '#platform/http'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'

// S15
test('two Host headers are refused, and one is not', async () => {
  const app = createServer({
    log: openLog('silent'),
    random: systemRandom,
    secure: false,
    trusted_proxies: [],
  })
  app.get('/', async () => 'hello')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const [{ port }] = app.addresses() as unknown as [{ port: number }]
  const ask = async (hosts: string[]) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const lines = hosts.map((host) => `${host}\r\n`).join('')
    socket.end(`GET / HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
    return await text(socket)
  }
  assert.match(await ask(['Host: one.example']), /^HTTP\/1.1 200/)
  assert.match(await ask(['Host: one.example', 'hOST: two.example']), /^HTTP\/1.1 400/)
  await app.close()
})
