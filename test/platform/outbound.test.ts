import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { OutboundError, type OutboundFault, openVisits } from '#platform/outbound'

// Threat 27

const servers: Server[] = []

/** A server that counts its connections. */
async function serve(answer: RequestListener, host = '127.0.0.1', port = 0) {
  const server = createServer(answer)
  servers.push(server)
  const seen = { connections: 0, port: '' }
  server.on('connection', () => seen.connections++)
  await new Promise<void>((done) => server.listen(port, host, done))
  seen.port = String((server.address() as AddressInfo).port)
  return seen
}

let canary: { connections: number; port: string }
before(async () => {
  canary = await serve((_request, response) => response.end('reached'))
})
after(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function faultOf(visited: Promise<unknown>): Promise<OutboundFault> {
  try {
    await visited
  } catch (error) {
    assert.ok(error instanceof OutboundError, String(error))
    return error.fault
  }
  throw new Error('it was visited')
}

const HOSTS = [
  ...['127.0.0.1', '127.9.9.9', '0x7f.1', '2130706433', '017700000001', '127.1', '0.0.0.0'],
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.64.0.1', '100.100.100.200'],
  ...['192.0.0.192', '192.0.2.1', '198.18.0.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
  ...['255.255.255.255', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:a00:1]', '[::7f00:1]'],
  ...['[fe80::1]', '[fec0::1]', '[fd00:ec2::254]', '[ff02::1]', '[100::1]', '[2001:db8::1]'],
  ...['[::ffff:168.63.129.16]', '[::ffff:a83f:8110]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001:0:1::]', '[4000::1]'],
]

test('no address outside the public internet is reached, however it is written', async () => {
  const resolved: string[] = []
  const resolve = async (host: string) => {
    resolved.push(host)
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const visit = openVisits({ allows_loopback: false, resolve, ports: [canary.port] })
  for (const host of HOSTS) {
    assert.equal(await faultOf(visit(`http://${host}:${canary.port}/`)), 'address_refused', host)
  }
  assert.deepEqual(resolved, [], 'an address is not resolved')
  for (const host of ['localhost', 'localhost.', 'LOCALHOST', 'inside.example', 'a.localhost']) {
    assert.equal(await faultOf(visit(`http://${host}:${canary.port}/`)), 'address_refused', host)
  }
  assert.equal(resolved.length, 5)
  assert.equal(canary.connections, 0)
})

test('a name with one private address among public ones is refused', async () => {
  for (const address of ['10.0.0.1', '::1', 'fd00::1', 'not an address']) {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ]
    const visit = openVisits({ allows_loopback: true, resolve })
    assert.equal(await faultOf(visit('https://mixed.example/')), 'address_refused', address)
  }
})

test('the connection is made to the address that was checked, whatever the name says next', async () => {
  const other = await serve((_request, response) => response.end('other'))
  const port = Number(other.port)
  await serve((_request, response) => response.end('site'), '127.0.0.2', port)
  let asked = 0
  // The system's own resolver leads to the other server, as this one does from the second time.
  const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
  const visit = openVisits({ allows_loopback: true, resolve })
  const { body } = await visit(`http://localhost:${port}/`)
  assert.equal(body, 'site')
  assert.equal(asked, 1)
  assert.equal(other.connections, 0)
})

test('in development the loopback is reached under its own name alone', async () => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const visit = openVisits({ allows_loopback: true, resolve, ports: [canary.port] })
  assert.equal((await visit(`http://127.0.0.1:${canary.port}/`)).body, 'reached')
  const before = canary.connections
  assert.equal(await faultOf(visit(`http://rebound.example:${canary.port}/`)), 'address_refused')
  assert.equal(canary.connections, before)
})

test('only http and https on their own ports, and without credentials', async () => {
  const visit = openVisits({ allows_loopback: false })
  for (const [address, fault] of [
    ['ftp://site.example/', 'not_http'],
    ['file:///etc/passwd', 'not_http'],
    ['gopher://site.example/', 'not_http'],
    ['not an address', 'not_http'],
    ['https://user:secret@site.example/', 'not_http'],
    ['https://user@site.example/', 'not_http'],
    ['https://site.example:8443/', 'port_refused'],
    ['http://site.example:22/', 'port_refused'],
    ['http://site.example:5432/', 'port_refused'],
  ] as const) {
    assert.equal(await faultOf(visit(address)), fault, address)
  }
})

test('a redirect is returned, not followed', async () => {
  const before = canary.connections
  const site = await serve((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` }).end()
  })
  const visit = openVisits({ allows_loopback: true })
  const { status, location } = await visit(`http://localhost:${site.port}/a`)
  assert.deepEqual([status, location], [302, `http://127.0.0.1:${canary.port}/`])
  assert.equal(canary.connections, before)
})

test('sends no cookie and no credentials, and reads status, time and body', async () => {
  let headers = {}
  const site = await serve((request, response) => {
    headers = request.headers
    response.writeHead(404, { date: 'Mon, 02 Mar 2026 12:00:00 GMT' }).end('missing')
  })
  const visit = openVisits({ allows_loopback: true })
  const { status, date, body } = await visit(`http://localhost:${site.port}/`)
  assert.deepEqual(
    [status, date?.toISOString(), body],
    [404, '2026-03-02T12:00:00.000Z', 'missing'],
  )
  assert.deepEqual(Object.keys(headers).sort(), ['accept', 'connection', 'host', 'user-agent'])
})

test('an answer that is slow, endless or huge ends at the limits', async () => {
  let written = 0
  const answers: Record<string, RequestListener> = {
    '/never': () => {},
    '/drip': (_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(timer))
    },
    '/huge': (_request, response) => {
      const block = Buffer.alloc(65_536, 'x')
      const more = () => {
        while (!response.destroyed && written < 500 * block.length) {
          written += block.length
          if (!response.write(block)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    },
    '/headers': (_request, response) => response.writeHead(200, { a: 'x'.repeat(40_000) }).end(),
  }
  const site = await serve((request, response) => answers[request.url!]!(request, response))
  const visit = openVisits({ allows_loopback: true, most_ms: 300 })
  const at = (path: string) => visit(`http://localhost:${site.port}${path}`)
  assert.equal(await faultOf(at('/never')), 'too_slow')
  assert.equal(await faultOf(at('/drip')), 'too_slow')
  assert.equal((await at('/huge')).body.length, 65_536)
  assert.ok(written < 400 * 65_536, 'the rest is not read')
  assert.equal(await faultOf(at('/headers')), 'not_an_answer')
  const slow = openVisits({
    allows_loopback: false,
    most_ms: 100,
    resolve: () => new Promise(() => {}),
  })
  assert.equal(await faultOf(slow('https://slow.example/')), 'too_slow')
})

test('says whether the name, the connection or the certificate is at fault', async () => {
  const missing = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  const visit = openVisits({ allows_loopback: true, resolve: () => Promise.reject(missing) })
  assert.equal(await faultOf(visit('https://missing.example/')), 'name_unknown')
  const closed = await serve(() => {})
  servers.at(-1)!.close()
  const local = openVisits({ allows_loopback: true })
  assert.equal(await faultOf(local(`http://127.0.0.1:${closed.port}/`)), 'unreachable')
  assert.equal(await faultOf(local(`https://127.0.0.1:${canary.port}/`)), 'certificate')
})
